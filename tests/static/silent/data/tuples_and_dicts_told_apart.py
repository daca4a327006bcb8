"""Tuples that begin with a tensor, told apart before they are read; dicts whose sizes only a call says."""

from types import SimpleNamespace
from typing import NamedTuple, TypedDict

import torch
from jaxtyping import Float
from torch import Tensor


class Output(NamedTuple):
    mean: Float[Tensor, "b d"]
    std: Float[Tensor, "b d"]


def model(x: Float[Tensor, "b d"], cached: bool = False):
    return (x, [x]) if cached else x


def last(x: Float[Tensor, "b d"], cached: bool) -> Float[Tensor, "d"]:
    out = model(x, cached)
    if isinstance(out, tuple):
        out = out[0]
    return out.sum(0)


def first(x: Float[Tensor, "b d"]) -> Float[Tensor, "d"]:
    out = model(x, True)
    return (out[0] if isinstance(out, tuple) else out).sum(0)


def or_else(x: Float[Tensor, "b d"]) -> Float[Tensor, "d"]:
    out = (x, {"seen": x})
    try:
        return out.sum(0)
    except AttributeError:
        return out[0].sum(0)


def spread(x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
    made = Output(x, x.abs())
    return made.mean / made.std + (hasattr(made, "sum") and made.sum() or 0)


class Weights(TypedDict):
    up: Float[Tensor, "d f"]
    down: Float[Tensor, "f d"]


def weights(hp) -> Weights:
    return {"up": torch.zeros(hp.d, hp.f), "down": torch.zeros(hp.f, hp.d)}


def biggest(hp, cut: bool) -> Weights:
    width = hp.f // 2 if cut else hp.f
    made = {"up": torch.zeros(hp.d, width), "down": torch.zeros(width, hp.d)}
    return made


def apply(p: Weights, x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
    return x @ p["up"] @ p["down"]


def main() -> None:
    x = torch.randn(3, 4)
    last(x, True), last(x, False), first(x), or_else(x), spread(x)
    for hp in (SimpleNamespace(d=4, f=6), SimpleNamespace(d=4, f=4)):
        apply(weights(hp), x)
        apply(biggest(hp, cut=True), x)


# run: main()
