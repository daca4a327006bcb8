"""Annotated lists whose names are given other lists, whose items have sizes of their own, or that a script fills."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor


def means(rows: list[Float[Tensor, "n d"]]) -> Float[Tensor, "k d"]:
    rows = [r.mean(0) for r in rows]
    rows.append(torch.zeros_like(rows[0]))
    return torch.stack(rows)


def ragged(x: Float[Tensor, "n d"], cuts: list[int]) -> list[Float[Tensor, "part d"]]:
    parts: list[Float[Tensor, "part d"]] = []
    for start, end in zip(cuts, cuts[1:]):
        parts.append(x[start:end])
    parts.append(x[cuts[-1] :])
    parts.insert(0, x[: cuts[0]])
    return [p for p in parts if len(p) == len(parts[0])]


def grown(x: Float[Tensor, "n d"], more: list[Float[Tensor, "n d"]]) -> Float[Tensor, "total d"]:
    more.append(x[1:])
    return torch.cat(more)


def by_name(x: Float[Tensor, "n d"]) -> Float[Tensor, ""]:
    kept: dict[str, Float[Tensor, "n d"]] = {}
    kept["x"] = x
    kept = {k: v.mean(0) for k, v in kept.items()}
    kept["rest"] = x.sum(0)
    return torch.stack(list(kept.values())).sum()


class Buffer:
    def __init__(self, width: int) -> None:
        self.width = width
        self.rows: list[Float[Tensor, "n {self.width}"]] = []
        self.best: dict[str, Float[Tensor, " n"] | None] = {"loss": None}

    def add(self, x: Float[Tensor, "m w"]) -> None:
        self.rows.append(x)
        self.best["loss"] = x.mean(1)


buffer = Buffer(3)
scores: list[Float[Tensor, "n"]] = []
for count in (2, 4):
    n: Float[Tensor, "n 3"] = torch.randn(count, 3)
    buffer.add(n)
    scores.append(n.mean(1))
    scores.append(torch.zeros(7))


# run: means([randn(2, 3), randn(2, 3)])
# run: ragged(randn(9, 2), [3, 6]); grown(randn(3, 2), [randn(3, 2)]); by_name(randn(4, 3))
