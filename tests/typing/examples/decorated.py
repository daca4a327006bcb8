"""What type checkers see of `typed`: whatever was there before."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import TypeVar, overload, reveal_type

import torch
from jaxtyping import Float
from torch import Tensor

from typedtorch.runtime import checking, typed

T = TypeVar("T")
x = torch.ones(2, 3)


@typed
def project(x: Float[Tensor, "n d"], *, scale: float = 1.0) -> Float[Tensor, "n d"]:
    return x * scale


@typed(scope="instance")
def same(x: T) -> T:
    return x


@typed
async def later(x: Tensor) -> int:
    return len(x)


@typed
def rows(x: Tensor) -> Iterator[Tensor]:
    yield from x


@typed
async def async_rows(x: Tensor) -> AsyncIterator[Tensor]:
    yield x


@overload
def either(x: int) -> int: ...
@overload
def either(x: str) -> str: ...
@typed
def either(x: int | str) -> int | str:
    return x


@typed
class Layer:
    size: int = 3

    @typed
    def method(self, x: Tensor) -> Tensor:
        return x

    @staticmethod
    @typed
    def static(x: Tensor) -> int:
        return 1

    @classmethod
    @typed
    def make(cls, size: int) -> "Layer":
        return cls()

    @property
    @typed
    def value(self) -> Tensor:
        return x


@typed
@dataclass
class Batch:
    x: Float[Tensor, "n d"]
    y: Float[Tensor, "n"]


reveal_type(project(x, scale=2.0))  # Tensor
reveal_type(same(len(x)))  # int
reveal_type(next(rows(x)))  # Tensor
reveal_type(either(1))  # int
reveal_type(Layer().method(x))  # Tensor
reveal_type(Layer.static(x))  # int
reveal_type(Layer.make(2))  # Layer
reveal_type(Layer().value)  # Tensor
reveal_type(Layer().size)  # int
reveal_type(Batch(x, x).y)  # Tensor
project(3)  # E
project(x, scales=1)  # E
Batch(x)  # E
Layer().method(1)  # E
typed(3, scope="module")  # E


async def use() -> None:
    reveal_type(await later(x))  # int
    async for row in async_rows(x):
        reveal_type(row)  # Tensor


with checking(False):
    project(x)
checking(True)
