"""Loops whose next turn may begin in one of several ways, each of them right."""

import random

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


def alternate(x: Float[Tensor, "n n"], steps: int, flip: bool) -> Float[Tensor, "n n"]:
    y = x
    for _ in range(steps):
        y = y @ x
        y = y.T if flip else y
    return y


def both_or_none(
    x: Float[Tensor, "a b"], w: Float[Tensor, "b b"], v: Float[Tensor, "a a"], flip: bool, steps: int
) -> None:
    """What is transposed is multiplied by the other matrix from then on."""
    m = w
    for _ in range(steps):
        x = x @ m
        if flip:
            x, m = x.T, v
            flip = False
        else:
            x = x + 0
    print(x.shape[0])


def drawn(x: Float[Tensor, "batch d"], keep: float, steps: int) -> Float[Tensor, "batch d"]:
    noise = torch.zeros(1, x.shape[1])
    for _ in range(steps):
        x = x + noise
        noise = torch.randn_like(x) if random.random() < keep else torch.randn(1, x.shape[1])
    return x


class Walk(nn.Module):
    def __init__(self, d: int) -> None:
        super().__init__()
        self.down, self.up = nn.Linear(d, 2 * d), nn.Linear(2 * d, d)

    def forward(self, x: Float[Tensor, "batch d"], steps: int) -> Float[Tensor, "batch d"]:
        wide = False
        for _ in range(steps):
            x = self.up(x) if wide else self.down(x)
            wide = not wide
        return self.up(x) if wide else x


def sampled(logits: Float[Tensor, "batch vocab"], tokens: Int[Tensor, "batch length"]) -> Int[Tensor, "batch"]:
    token = tokens[:, 0]
    for t in range(tokens.shape[1]):
        scores = logits + torch.nn.functional.one_hot(token, logits.shape[1])
        token = tokens[:, t] if torch.rand(1).item() < 0.5 else scores.argmax(-1)
    return token


# run: alternate(torch.randn(4, 4), 3, True)
# run: both_or_none(torch.randn(3, 5), torch.randn(5, 5), torch.randn(3, 3), True, 3)
# run: both_or_none(torch.randn(3, 5), torch.randn(5, 5), torch.randn(3, 3), False, 3)
# run: drawn(torch.randn(4, 3), 0.5, 5)
# run: Walk(4)(torch.randn(3, 4), 3)
# run: sampled(torch.randn(4, 9), torch.randint(0, 9, (4, 5)))
