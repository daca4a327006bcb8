"""What type checkers see of `Module` and its containers.

After each ``reveal_type`` stands the type; ``E`` marks a line with an error.  Where the checkers differ,
each has its own comment.
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar, assert_type, overload, reveal_type

import torch
from jaxtyping import Float
from torch import Tensor, nn

from typedtorch.nn.containers import ModuleDict, ModuleList, Sequential
from typedtorch.nn.module import Module

T = TypeVar("T")
x = torch.ones(2, 3)


class Block(Module):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size

    def forward(self, x: Float[Tensor, "batch d"], *, flag: bool = True) -> Float[Tensor, "batch d"]:
        return x

    def twice(self, x: Tensor) -> Tensor:
        return self(self(x))


class Pair(Module, scope="instance"):
    def forward(self, x: Tensor) -> tuple[Tensor, int]:
        return x, 1


class Inherits(Pair):
    pass


class Overloaded(Module):
    @overload
    def forward(self, x: int) -> int: ...
    @overload
    def forward(self, x: str) -> str: ...
    def forward(self, x: int | str) -> int | str:
        return x


class Holds(Module, Generic[T]):
    def __init__(self, value: T) -> None:
        super().__init__()
        self.value = value

    def forward(self, x: list[T]) -> T:
        return x[0]


class GenericForward(Module):
    def forward(self, x: T) -> list[T]:
        return [x]


class Takes(Protocol):
    def __call__(self, x: Tensor) -> tuple[Tensor, int]: ...


reveal_type(Block(3))  # Block
reveal_type(Block(3)(x))  # Tensor
reveal_type(Block(3)(x, flag=False))  # Tensor
reveal_type(Pair()(x))  # tuple[Tensor, int]
reveal_type(Inherits()(x))  # tuple[Tensor, int]
reveal_type(Overloaded()(1))  # int
reveal_type(Overloaded()("a"))  # str
reveal_type(Holds(3)([3]))  # int
reveal_type(GenericForward()(3))  # list[int]
reveal_type(Block(3).size)  # int
Block(3)("no")  # E
Block(3)(x, x)  # E
Block(3)(x, flags=True)  # E
Block(3)()  # E
Overloaded()(1.5)  # E
print(Pair()(x).shape)  # E
Block("3")  # E


def call(f: Callable[[Tensor], tuple[Tensor, int]]) -> None: ...


call(Pair())
as_protocol: Takes = Pair()
list(map(Pair(), [x]))
as_module: nn.Module = Pair()


def run(module: Module, plain: nn.Module) -> None:
    reveal_type(module(x, anything=1))  # Any
    reveal_type(plain(x))  # Any


run(Pair(), Pair())
nn.Sequential(Pair(), nn.ReLU())

blocks = ModuleList([Block(3), Block(4)])
reveal_type(blocks)  # ModuleList[Block]
reveal_type(blocks[0])  # Block
reveal_type(blocks[0](x))  # Tensor
reveal_type(blocks[1:])  # ModuleList[Block]
reveal_type([block.size for block in blocks])  # list[int]
for block in blocks:
    reveal_type(block(x))  # Tensor
blocks.append(Block(2))
blocks.append(Pair())  # E
blocks.extend([Pair()])  # E
blocks.insert(0, Pair())  # E
assert_type(ModuleList[Block](), ModuleList[Block])

experts = ModuleDict({"a": Block(3)})
reveal_type(experts["a"](x))  # Tensor
experts["b"] = Pair()  # E
for expert in experts.values():
    reveal_type(expert.size)  # int

chain = Sequential(Block(3), Pair())
reveal_type(chain)  # Sequential[Tensor, tuple[Tensor, int]]
reveal_type(chain(x))  # tuple[Tensor, int]
chain(3)  # E
Sequential(Pair(), Block(3))  # E
reveal_type(Sequential(Block(3), nn.ReLU(), nn.Linear(3, 2))(x))  # Tensor
reveal_type(Sequential(OrderedDict[str, nn.Module](a=Block(3)))(x))  # Any
eight = Sequential(*[Block(3) for _ in range(8)])
reveal_type(eight(x))  # Any


class UserChain(Sequential[Tensor, Tensor]):
    def __init__(self) -> None:
        super().__init__(Block(2), Block(3))


reveal_type(UserChain()(x))  # Tensor


def any_module(module: Any) -> None:
    module(x)
