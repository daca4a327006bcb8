"""Trees of modules: built by recursion and by loops, walked by recursion."""
from __future__ import annotations

import torch
from torch import Tensor, nn


class Node(nn.Module):
    def __init__(self, dim: int, *children: Node) -> None:
        super().__init__()
        self.kids = nn.ModuleList(children)
        self.fc = nn.Linear(dim * (1 + len(children)), dim)
        self.dim = dim

    def forward(self, x: Tensor) -> Tensor:
        parts = [x, *(kid(x) for kid in self.kids)]
        return self.fc(torch.cat(parts, dim=-1)).tanh()


def full(depth: int, dim: int, fan: int = 2) -> Node:
    if depth == 0:
        return Node(dim)
    return Node(dim, *[full(depth - 1, dim, fan) for _ in range(fan)])


class Nested(nn.Module):
    def __init__(self, width: int, inner: nn.Module | None = None) -> None:
        super().__init__()
        self.enter = nn.Linear(width, width // 2)
        self.inner = inner if inner is not None else nn.Identity()
        self.leave = nn.Linear(width // 2, width)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.leave(self.inner(self.enter(x)))


def nested() -> Nested:
    net = None
    for width in (8, 16, 32):
        net = Nested(width, net)
    return net


def main() -> tuple[Tensor, Tensor]:
    return full(2, 6)(torch.randn(3, 6)), nested()(torch.randn(2, 32))


# run: main()
