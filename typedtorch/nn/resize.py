"""Another vocabulary for a trained model."""

from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor

from typedtorch.nn import init
from typedtorch.nn.embedding import Embedding
from typedtorch.nn.linear import Linear
from typedtorch.nn.transformer import Transformer


@torch.no_grad()
def resize_vocab(
    model: Transformer,
    vocab: int,
    *,
    optimizer: torch.optim.Optimizer | None = None,
    generator: torch.Generator | None = None,
) -> None:
    """Give a model ``vocab`` tokens: rows that stay keep their weights and their optimizer state.

    New rows are drawn as the layer draws its own, and their optimizer state is 0; of a smaller
    vocabulary the first rows stay.  Gradients of the resized parameters are cleared.

    Args:
        model: the model; its embedding, and its unembedding where that is its own, are new parameters.
        vocab: tokens from now on, at least 1.
        optimizer: updated to hold the new parameters in the place of the old ones.
        generator: source of the new rows.

    Raises:
        ValueError: ``vocab`` is not at least 1.

    >>> model = Transformer(vocab=9, d_model=8, layers=1, heads=2, max_seq=4)
    >>> resize_vocab(model, 12)
    >>> model(torch.tensor([[11]])).shape, model.config.vocab
    (torch.Size([1, 1, 12]), 12)
    """
    model.config = replace(model.config, vocab=vocab)  # refuses what is not a size
    tables: list[tuple[Embedding | Linear, float]] = [(model.embedding, model.embedding.std)]
    if model.unembedding is not None:
        tables.append((model.unembedding, model.d_model**-0.5))
        model.unembedding.d_out = vocab
    for layer, std in tables:
        old = layer.weight
        drawn = init.truncated_normal(old.new_empty(vocab, old.shape[1]), std, generator=generator)
        layer.weight = torch.nn.Parameter(_keep(old, drawn), requires_grad=old.requires_grad)
        if optimizer is not None:
            _replace(optimizer, old, layer.weight)
    model.vocab = model.embedding.vocab = vocab


def _keep(old: Float[Tensor, "old d"], new: Float[Tensor, "new d"]) -> Float[Tensor, "new d"]:
    rows = min(len(old), len(new))
    new[:rows] = old[:rows]
    return new


def _replace(
    optimizer: torch.optim.Optimizer,
    old: Float[torch.nn.Parameter, "old d"],
    new: Float[torch.nn.Parameter, "new d"],
) -> None:
    for group in optimizer.param_groups:
        group["params"] = [new if param is old else param for param in group["params"]]
    state = optimizer.state.pop(old, None)
    if state is not None:
        # what has one row per token is resized: moments, and the row means of a factored one
        optimizer.state[new] = {
            name: _keep(value, value.new_zeros(len(new), value.shape[1]))
            if isinstance(value, Tensor) and value.ndim == 2 and len(value) == len(old)
            else value
            for name, value in state.items()
        }
