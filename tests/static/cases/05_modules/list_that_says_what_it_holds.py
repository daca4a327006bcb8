from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Generic, TypeVar

import torch
from jaxtyping import Float
from torch import Tensor, nn

BlockT = TypeVar("BlockT", bound=nn.Module)


class Blocks(nn.ModuleList, Generic[BlockT]):
    """torch's list when it runs; a type checker is told what it holds."""

    if TYPE_CHECKING:

        def __init__(self, modules: Iterable[BlockT] | None = None) -> None: ...
        def __iter__(self) -> Iterator[BlockT]: ...


class Mixer(nn.Module):
    def __init__(self, dim: int, hidden: int, count: int) -> None:
        super().__init__()
        self.blocks = Blocks([nn.Linear(dim, dim) for _ in range(count)])
        self.out = nn.Linear(dim, hidden)

    def forward(self, x: Float[Tensor, "batch dim"]) -> Float[Tensor, "batch hidden"]:
        for block in self.blocks:
            x = block(x)
        return self.out(x)


Mixer(8, 16, 2)(torch.ones(3, 8))  #! Mixer(8, 16, 2)(torch.ones(3, 16))  # E: shape

# run: Mixer(8, 16, 2)(torch.ones(3, 8))
