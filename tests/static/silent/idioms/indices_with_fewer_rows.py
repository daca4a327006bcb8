"""Indices of ``gather`` and ``scatter`` that have fewer rows than what they take from."""

import torch
from jaxtyping import Float, Int
from torch import Tensor


def gathered(x: Float[Tensor, "b n d"], i: Int[Tensor, "b n d"]) -> None:
    x.gather(2, i[:, : i.shape[1] // 2])
    x.gather(2, i[:, 1:])
    x.gather(2, i[::2])
    x.gather(2, i[:, : 3 * x.shape[1] // 4])
    x.gather(1, i.chunk(2, 2)[0])
    x[:, :-1].gather(2, i[:, 1:])


def scattered(x: Float[Tensor, "b n d"], i: Int[Tensor, "b n d"], y: Float[Tensor, "b n d"]) -> None:
    x.scatter(2, i[:, 1:], y)
    x.scatter_add(2, i[:, 1:], y[:, 1:])
    torch.zeros_like(x).scatter_(1, i[..., :-1], 1.0)


def of_joint(logits: Tensor, symbols: Tensor) -> Tensor:
    batch, frames, more, _ = logits.shape
    length = more - 1
    assert symbols.shape == (batch, length)
    assert frames >= length >= 1
    wanted = symbols.reshape(batch, 1, length, 1).expand(batch, frames, length, 1)
    return torch.gather(logits, dim=3, index=wanted).squeeze(-1)


# run: gathered(randn(2, 5, 4), randint(0, 3, (2, 5, 4)))
# run: scattered(randn(2, 5, 4), randint(0, 3, (2, 5, 4)), randn(2, 5, 4))
# run: of_joint(randn(2, 5, 4, 3), randint(0, 3, (2, 3)))
