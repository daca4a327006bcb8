"""Decorators that add an axis to what they are given, or take one from what comes back."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor


def batched(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def wrapper(x: Tensor, *args: Any, **kwargs: Any) -> Any:
        x = x if x.ndim > 2 else x[None]
        return function(x, *args, **kwargs)

    return wrapper


def averaged(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    @wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Tensor:
        return function(*args, **kwargs).mean(0)

    return wrapper


def cached(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    known: dict[int, Tensor] = {}

    @wraps(function)
    def wrapper(n: int) -> Tensor:
        if n not in known:
            known[n] = function(n)
        return known[n]

    return wrapper


@batched
def flattened(x: Float[Tensor, "b n d"]) -> Float[Tensor, "b n*d"]:
    return x.flatten(1)


@batched
def widths(x):
    return x.shape[2]


@averaged
def scaled(x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
    return 2 * x


@cached
def identity(n: int) -> Float[Tensor, "n n"]:
    return torch.eye(n)


def use(row: Float[Tensor, "d"], rows: Float[Tensor, "n d"]) -> Float[Tensor, "d"]:
    widths(torch.zeros(3, 4))
    flattened(torch.zeros(3, 4))
    return row + scaled(rows)


# run: assert use(torch.zeros(3), torch.zeros(2, 3)).shape == (3,)
# run: assert identity(3).shape == (3, 3)
