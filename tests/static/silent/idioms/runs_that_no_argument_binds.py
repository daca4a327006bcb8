"""Results whose run of axes nothing binds: some number of axes, of which nothing certain follows."""

import torch
from jaxtyping import Float
from torch import Tensor


def load(path: str) -> Float[Tensor, "*shape"]:
    return torch.load(path)


def either(path: str, other: str) -> Float[Tensor, "batch dim"]:
    x, y = load(path), load(other)
    if x.ndim == 1:
        x = x[None]
    if y.shape == x.shape:
        return x + y
    return x if x.ndim == 2 else y.flatten(0, -2)


def last(paths: list[str]) -> Float[Tensor, "*shape"]:
    previous = None
    for path in paths:
        current = load(path)
        if previous is not None and previous.ndim < current.ndim:
            current = current + previous[..., None]
        previous = current
    return torch.cat([previous, current])


def declared(path: str, weight: Float[Tensor, "dim out"]) -> Float[Tensor, "batch out"]:
    x: Float[Tensor, "*batch dim"] = load(path)
    rows: Float[Tensor, "*batch dim"] = x[None] if x.ndim == 1 else x
    return rows.reshape(-1, rows.shape[-1]) @ weight


def summed(path: str) -> Float[Tensor, ""]:
    chosen = load(path)
    return chosen if chosen.dim() == 0 else chosen.sum()


def scaled(path: str, x: Float[Tensor, "batch dim"]) -> Float[Tensor, "batch dim"]:
    weight = load(path)
    return x * weight + weight[..., None] * weight
