"""Results whose run of axes nothing binds: some number of axes, of which nothing certain follows."""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor


def load(values: Any) -> Float[Tensor, "*shape"]:
    return torch.as_tensor(values)


def either(given: Any, other: Any) -> Float[Tensor, "batch dim"]:
    x, y = load(given), load(other)
    if x.ndim == 1:
        x = x[None]
    if y.shape == x.shape:
        return x + y
    return x if x.ndim == 2 else y.flatten(0, -2)


def last(givens: list[Any]) -> Float[Tensor, "*shape"]:
    previous = None
    for given in givens:
        current = load(given)
        if previous is not None and previous.ndim < current.ndim:
            current = current + previous[..., None]
        previous = current
    return torch.cat([previous, current])


def declared(given: Any, weight: Float[Tensor, "dim out"]) -> Float[Tensor, "batch out"]:
    x: Float[Tensor, "*batch dim"] = load(given)
    rows: Float[Tensor, "*batch dim"] = x[None] if x.ndim == 1 else x
    return rows.reshape(-1, rows.shape[-1]) @ weight


def summed(given: Any) -> Float[Tensor, ""]:
    chosen = load(given)
    return chosen if chosen.dim() == 0 else chosen.sum()


def scaled(given: Any, x: Float[Tensor, "batch dim"]) -> Float[Tensor, "batch dim"]:
    weight = load(given)
    return x * weight + weight[..., None] * weight


# run: either([1.0, 2.0], [[3.0, 4.0]]); last([[1.0], [2.0]]); declared([[1.0, 2.0]], randn(2, 3)); summed([1.0]); scaled(2.0, randn(2, 3))
