"""Functions that look at a size, a rank or a kind of argument first, and are several functions in one."""

from collections.abc import Iterable
from typing import Optional, Union

import numpy as np
import torch
from einops import rearrange, repeat
from jaxtyping import Float, Int, Num, Shaped
from torch import Tensor

Targets = Union[int, Int[Tensor, "n t"], Iterable[int], Iterable[Int[Tensor, "t"]]]


def edge(v: Float[Tensor, "cells 1 d"]) -> Float[Tensor, "cells"]:
    return v[:, 0].norm(dim=-1)


def triangle(v: Float[Tensor, "cells 2 d"]) -> Float[Tensor, "cells"]:
    return (v[:, 0] - v[:, 1]).norm(dim=-1) / 2


def measure(v: Float[Tensor, "cells m d"]) -> Float[Tensor, "cells"]:
    sides = v.shape[-2]
    match sides:
        case 1:
            return edge(v)
        case 2:
            return triangle(v)
        case _:
            return v.norm(dim=-1).sum(1)


def middle(v: Float[Tensor, "cells m d"]) -> Float[Tensor, "cells d"]:
    _, m, d = v.shape
    match (m, d):
        case (1, _):
            return v.squeeze(1)
        case (2, 3):
            return (v[:, 0] + v[:, 1]) / 2
    return v.mean(dim=1)


def normals(v: Float[Tensor, "cells m d"]) -> Float[Tensor, "cells d"]:
    """For d - 1 vectors in d dimensions: the minors."""
    parts = []
    for i in range(v.shape[-1]):
        minor = torch.cat([v[:, :, :i], v[:, :, i + 1 :]], dim=-1)
        parts.append(minor.det() * (-1) ** i)
    return torch.stack(parts, dim=-1)


def targets(given: Targets) -> list[Int[Tensor, "t"]]:
    if isinstance(given, int):
        return [torch.tensor([given])]
    if isinstance(given, Tensor):
        return list(given.unbind(0))
    if all(isinstance(one, int) for one in given):
        return [torch.tensor([one]) for one in given]
    return list(given)


def rotation(angle: float, axis: Optional[Float[Tensor, "d"]]) -> Float[Tensor, "d d"]:
    c, s = torch.cos(torch.tensor(angle)), torch.sin(torch.tensor(angle))
    if axis is None:
        return torch.stack([torch.stack([c, -s]), torch.stack([s, c])])
    outer = axis[:, None] * axis[None, :]
    return torch.eye(axis.shape[0]) * c + outer * (1 - c)


def filled(x: Num[np.ndarray, "length *rest"]) -> Num[np.ndarray, "length *rest"]:
    x = x.T
    if x.ndim == 1:
        x = np.concatenate((np.repeat(0.0, 1), x[:-1]))
    else:
        x = np.where(np.isnan(x), 0.0, x)
    return x.T


def pooled(features: dict[str, Tensor], queries: int, width: int) -> Float[Tensor, "q w"]:
    chosen = features["chosen"]
    assert chosen.shape == (4, queries, width)
    return chosen.mean(dim=0)


def is_text(t: object) -> bool:
    return torch.is_tensor(t) and t.dtype in (torch.int32, torch.int64)


def tokens(parsed: dict[str, Shaped[Tensor, "..."]]) -> Int[Tensor, "n"]:
    chunk = parsed["chunk"]
    assert chunk.ndim == 1 and is_text(chunk)
    return chunk


def solved(solver, x: Tensor) -> Union[Tensor, tuple[Tensor, Tensor]]:
    return solver(x)


def squeezed(x: Float[Tensor, "n"]) -> Float[Tensor, "n"]:
    """With this solver it is the tensor alone."""
    found = solved(lambda t: t.double(), x.unsqueeze(-1))
    return found.squeeze(-1).float()


class Quantiles:
    def __init__(self, levels: tuple[float] = [0.1, 0.5, 0.9]) -> None:  # type: ignore[assignment]
        self.levels = levels

    def loss(
        self,
        weights: Float[Tensor, "q"],
        target: Float[Tensor, "*b p"],
        pred: Float[Tensor, "*b q*p"],
    ) -> Float[Tensor, "*b p"]:
        levels = torch.tensor(self.levels).view(-1, 1)
        pred = rearrange(pred, "... (q p) -> ... q p", q=len(self.levels))
        target = repeat(target, "... p -> ... q p", q=len(self.levels))
        loss = torch.where(target > pred, levels, 1 - levels)
        return (loss * weights.unsqueeze(-1)).mean(dim=-2)


def use(v: Float[Tensor, "5 2 3"]) -> None:
    for sides in (1, 2, 3):
        measure(torch.randn(5, sides, 3))
        middle(torch.randn(5, sides, 3))
    normals(v)
    for given in (3, torch.zeros(2, 3, dtype=torch.long), [1, 2]):
        targets(given)
    rotation(0.3, None)
    rotation(0.3, torch.tensor([0.0, 0.0, 1.0]))
    filled(np.ones(4))
    filled(np.ones((4, 3)))
    quantiles = object.__new__(Quantiles)
    quantiles.levels = (0.1, 0.5)
    quantiles.loss(torch.ones(2), torch.randn(5, 3), torch.randn(5, 6))
    tokens({"chunk": torch.zeros(3, dtype=torch.long)})
    squeezed(torch.randn(3))
    pooled({"chosen": torch.randn(4, 6, 2)}, 6, 2)


# run: use(randn(5, 2, 3))
