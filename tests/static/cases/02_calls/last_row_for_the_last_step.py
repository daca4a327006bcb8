import torch
from jaxtyping import Float, Int
from torch import Tensor


def penalised(logits: Float[Tensor, "b vocab"], tokens: Int[Tensor, "b t"]) -> Float[Tensor, "b vocab"]:
    return logits.scatter_add(1, tokens, torch.full(tokens.shape, -1.0))


def step(scores: Float[Tensor, "b t vocab"], tokens: Int[Tensor, "b t"]) -> Int[Tensor, "b"]:
    last = scores[:, -1]  #! last = scores[-1]
    return penalised(last, tokens).argmax(dim=-1)  # E: shape


# run: step(randn(2, 3, 7), torch.randint(0, 7, (2, 3)))
