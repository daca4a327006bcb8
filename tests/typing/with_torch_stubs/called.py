"""What type checkers see of modules once the generated ``torch-stubs`` are installed.

After each ``reveal_type`` stands the type; ``E`` marks a line with an error.
"""

from collections.abc import Callable
from typing import Generic, TypeVar, overload, reveal_type

import torch
import torch.nn.functional as F
from torch import Tensor, nn

T = TypeVar("T")
x = torch.ones(3)


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.up = nn.Linear(3, 3)

    def forward(self, x: Tensor, *, flag: bool = True) -> tuple[Tensor, int]:
        return self.up(x), 3


class Inherits(Block):
    pass


class Overloaded(nn.Module):
    @overload
    def forward(self, x: int) -> int: ...
    @overload
    def forward(self, x: str) -> str: ...
    def forward(self, x: int | str) -> int | str:
        return x


class Holds(nn.Module, Generic[T]):
    def __init__(self, value: T) -> None:
        super().__init__()
        self.value = value

    def forward(self, x: list[T]) -> T:
        return x[0]


reveal_type(Block()(x))  # tuple[Tensor, int]
reveal_type(Inherits()(x))  # tuple[Tensor, int]
reveal_type(Overloaded()("a"))  # str
reveal_type(Holds(3)([3]))  # int
reveal_type(nn.ReLU()(x))  # Tensor
reveal_type(nn.MultiheadAttention(3, 1)(x, x, x))  # tuple[Tensor, Tensor | None]
reveal_type(nn.CrossEntropyLoss()(x, x))  # Tensor
reveal_type(F.relu(x))  # Tensor
reveal_type(nn.Parameter(x))  # Parameter
reveal_type(nn.ModuleList([Block()])[0])  # Module
Block()("no")  # E
Block()(x, flags=True)  # E
Block()()  # E
nn.ReLU()(3)  # E
Overloaded()(1.5)  # E
print(Block()(x).shape)  # E


def call(f: Callable[[Tensor], tuple[Tensor, int]]) -> None: ...


call(Block())
list(map(Block(), [x]))


def run(module: nn.Module) -> None:
    reveal_type(module(x, anything=1))  # Any
    reveal_type(module.training)  # bool
    module.load_state_dict(module.state_dict())
    for name, child in module.named_modules():
        reveal_type(name)  # str
        reveal_type(child)  # Module


run(Block())
