from dataclasses import dataclass
from typing import Generic, TypeVar

import torch
from jaxtyping import Float
from torch import Tensor

T = TypeVar("T")


@dataclass
class Box(Generic[T]):
    value: T


def unwrap(box: Box[T]) -> T:
    return box.value


def apply(box: Box[Float[Tensor, "n d"]], w: Float[Tensor, "d k"]) -> Float[Tensor, "n k"]:
    return unwrap(box) @ w  #! return unwrap(box) @ w.T  # E: shape


# run: apply(Box(randn(3, 5)), randn(5, 7))
