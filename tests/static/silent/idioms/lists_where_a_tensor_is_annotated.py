"""Functions that take a list or dict as well, whatever their annotation says, and lists that are arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn


@dataclass
class Pair:
    left: Float[Tensor, "n d"]
    right: Float[Tensor, "n d"]


def centred(x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
    if isinstance(x, list):
        x = torch.cat(x)
    return x - x.mean(0)


def rescued(x: Float[Tensor, "n d"]) -> Tensor:
    try:
        return x.mean(0)
    except AttributeError:
        return sum(part.mean(0) for part in x)  # a list of them


def of_what_has_it(x: Float[Tensor, "n d"]) -> Tensor:
    return x.mean() if hasattr(x, "mean") else sum(part.mean() for part in x)


def only_counts(x: Float[Tensor, "n d"]) -> int:
    """Lists have a length and copies too."""
    return len(x) + len(x.copy())  # type: ignore[operator]


def stacked(function: Callable[[Tensor], Tensor]) -> Callable[[object], Tensor]:
    @wraps(function)
    def inner(x: object) -> Tensor:
        return function(torch.cat(x) if isinstance(x, list) else x)  # type: ignore[arg-type]

    return inner


@stacked
def total(x: Float[Tensor, "n d"]) -> Tensor:
    return x.sum(0)


def array_mean(values: Float[np.ndarray, "n"]) -> float:
    return float(values.mean())


def loosely(values: list[float]) -> float:
    return array_mean(values)  # type: ignore[arg-type]  # an array, as main gives one


def left_of(pair: Pair) -> Tensor:
    if isinstance(pair, dict):
        pair = Pair(**pair)
    return pair.left


def first_of(pairs: Pair) -> Tensor:
    pairs = pairs[0] if isinstance(pairs, list) else pairs
    return pairs.left


def scales(level: int) -> float:
    return (2.0**level, 1.0, 1.0)  # type: ignore[return-value]


def scaled(places: Float[Tensor, "batch 3 n"], level: int) -> Float[Tensor, "batch 3 n"]:
    return places * torch.tensor(scales(level))[None, :, None]


def initialised(layer: nn.Module) -> None:
    nn.init.zeros_(layer.weight)
    return layer  # type: ignore[return-value]


def widened(x: Float[Tensor, "b 3 h w"]) -> Float[Tensor, "b 8 h w"]:
    layers = nn.Sequential(initialised(nn.Conv2d(3, 8, 1)), nn.BatchNorm2d(8))
    out_channels, in_channels, _, _ = layers[0].weight.shape
    return layers(x) + out_channels - in_channels


def unpadded(rows: torch.Tensor):
    given = rows
    if isinstance(given, nn.utils.rnn.PackedSequence):
        rows, _ = nn.utils.rnn.pad_packed_sequence(rows)
    return rows


def main() -> None:  # runs where nobody enforces the annotations: beartype refuses each of these calls
    a, b = torch.randn(2, 3), torch.randn(5, 3)
    for function in (centred, rescued, of_what_has_it, only_counts, total):
        function([a, b])  # type: ignore[arg-type]
    centred([a, b]), rescued([a, b]), of_what_has_it([a, b]), only_counts([a, b]), total([a, b])  # type: ignore
    loosely(np.ones(4))  # type: ignore[arg-type]
    scaled(torch.randn(2, 3, 5), 1), widened(torch.randn(2, 3, 4, 4))
    left_of({"left": a, "right": a}), first_of([Pair(a, a)])  # type: ignore[arg-type]


def sizes(x: Float[Tensor, "b c h w"]) -> None:
    """One tuple, or one by one."""
    lead, tail = x.shape[:2], (6, -1)
    x.reshape(lead + (-1,)), x.reshape(*lead, -1), x.reshape([*lead, -1]), x.view((*lead, -1)), x.reshape(tail)
    torch.zeros(x.shape), torch.zeros(*x.shape, 2), torch.zeros((*lead, 3), dtype=torch.long), x.expand(x.shape)
    x.permute((0, 2, 3, 1)), x.permute(0, 2, 3, 1), x.repeat((2, 1, 1, 1)), x.flip((0, 1)), x.flip(0, 1)
    np.ones((2, 3)).reshape((3, 2), order="F"), np.ones((2, 3)).transpose((1, 0)), np.reshape(np.ones(6), (2, 3), "F")


# run: sizes(randn(2, 3, 4, 5))
