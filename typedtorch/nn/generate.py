"""Sampling from a language model, one token after the other, with cached keys and values."""

from collections.abc import Callable
from functools import partial

import torch
from jaxtyping import Float, Int
from torch import Tensor

from typedtorch import functional as TF
from typedtorch.nn.modes import modes_kept
from typedtorch.nn.transformer import Transformer

_COLDEST = 1e-30


@torch.no_grad()
def sample(
    model: Transformer,
    prompt: Int[Tensor, "batch prompt"],
    n: int,
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    generator: torch.Generator | None = None,
) -> Int[Tensor, "batch total"]:
    """Continue each prompt by ``n`` tokens drawn from the model; ``total = prompt + n``.

    The model is put into evaluation mode meanwhile, and each of its modules back into its own afterwards.
    Once ``max_seq`` positions are full, the second half of the text becomes the new context, so a sample may
    be longer than the model's context.

    Args:
        model: the model.
        prompt: at least one token, as int64 or int32.
        n: tokens to add.
        temperature: logits are divided by it; 0 takes the likeliest token every time. Numbers between 0 and
            1e-30 would make infinities of logits.
        top_k: draw from the ``top_k`` likeliest tokens only.
        top_p: of these from the likeliest whose probabilities reach ``top_p`` together (arXiv:1904.09751).
        generator: source of randomness, on the model's device; torch's global one unless given.

    Raises:
        ValueError: an empty prompt or one without a batch, or ``n``, ``temperature``, ``top_k`` or ``top_p``
            out of range.
        TypeError: a prompt of another dtype, which torch looks up in no table.

    >>> model = Transformer(vocab=8, d_model=16, layers=1, heads=2, max_seq=4)
    >>> sample(model, torch.tensor([[1, 2]]), 5, temperature=0.0).shape
    torch.Size([1, 7])
    """
    if prompt.ndim != 2:
        raise ValueError(
            f"sample: the prompt is (batch, prompt), got {tuple(prompt.shape)}; one sequence is tokens[None]"
        )
    if prompt.shape[1] < 1:
        raise ValueError("sample: the prompt has no token to start from")
    if prompt.dtype not in (torch.int64, torch.int32):
        raise TypeError(f"sample: the prompt must be int64 or int32, got {prompt.dtype}; prompt.long() is")
    if n < 0 or not temperature >= 0 or (top_k is not None and top_k < 1):
        raise ValueError(
            "sample: n and temperature must be at least 0 and top_k at least 1, "
            f"got {n}, {temperature} and {top_k}"
        )
    if 0 < temperature < _COLDEST:
        raise ValueError(f"sample: temperature must be 0 or at least {_COLDEST:g}, got {temperature}")
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"sample: top_p is a probability above 0, got {top_p}")
    draw = partial(choose, temperature=temperature, top_k=top_k, top_p=top_p, generator=generator)
    with modes_kept(model):
        model.eval()
        return _continue(model, prompt, n, draw)


def _continue(
    model: Transformer,
    prompt: Int[Tensor, "batch prompt"],
    n: int,
    draw: Callable[[Float[Tensor, "batch vocab"]], Int[Tensor, "batch"]],
) -> Int[Tensor, "batch total"]:
    max_seq, length = model.config.max_seq, prompt.shape[1]
    text = prompt.new_empty(prompt.shape[0], length + n)
    text[:, :length] = prompt
    caches = model.new_caches()
    unread = text[:, max(0, length - max_seq) : length]
    for end in range(length, length + n):
        if len(caches[0]) + unread.shape[1] > max_seq:
            caches = model.new_caches()
            unread = text[:, end - (max_seq + 1) // 2 : end]
        hidden = model.hidden(unread, caches)[:, -1]
        text[:, end] = draw(TF.linear(hidden, model.unembedding_weight))
        unread = text[:, end : end + 1]
    return text


def choose(
    logits: Float[Tensor, "batch vocab"],
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    generator: torch.Generator | None = None,
) -> Int[Tensor, "batch"]:
    """One token per row, drawn from ``softmax(logits / temperature)`` over the ``top_k`` largest.

    With ``top_p`` over the fewest of them whose joint probability is at least that.

    >>> choose(torch.tensor([[0.0, 3.0, 1.0]]), temperature=0.0)
    tensor([1])
    """
    if temperature == 0.0:
        return logits.argmax(-1)
    scores = logits.float() / temperature
    vocab = scores.shape[-1]
    if top_p is not None or (top_k is not None and top_k < vocab):
        best, tokens = scores.topk(vocab if top_k is None else min(top_k, vocab))
        weights = TF.softmax(best)
        if top_p is not None:  # the first always stays: before it there is nothing
            weights = weights.masked_fill(weights.cumsum(-1) - weights >= top_p, 0.0)
        drawn = torch.multinomial(weights, 1, generator=generator)
        return tokens.gather(-1, drawn)[:, 0]
    return torch.multinomial(TF.softmax(scores), 1, generator=generator)[:, 0]
