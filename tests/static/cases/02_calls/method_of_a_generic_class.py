from typing import Generic, TypeVar

import torch
from jaxtyping import Float
from torch import Tensor

T = TypeVar("T")


class Buffer(Generic[T]):
    def __init__(self) -> None:
        self.items: list[T] = []

    def push(self, item: T) -> None:
        self.items.append(item)

    def all(self) -> list[T]:
        return self.items

    def last(self) -> T:
        return self.items[-1]


def history(buffer: Buffer[Float[Tensor, "n"]]) -> Float[Tensor, "t n"]:
    return torch.stack(buffer.all())  #! return torch.stack(buffer.all()).sum(0)  # E: shape


def drift(buffer: Buffer[Float[Tensor, "n"]], start: Float[Tensor, "n"]) -> Float[Tensor, ""]:
    return (buffer.last() - start).norm()


# run: buffer = Buffer()
# run: buffer.push(randn(3))
# run: buffer.push(randn(3))
# run: history(buffer)
