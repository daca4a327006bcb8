"""Abstract methods with bodies, attributes read while an object is made, lists of older libraries."""
from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import torch
from jaxtyping import BFloat16, Float, Int
from torch import Tensor, nn


class Model(ABC):
    """What subclasses give may have more keys than the example in the abstract method's body."""

    @abstractmethod
    def infer(self, x: Tensor) -> dict[str, Any]:
        found = {"output": None}
        ...
        return found

    def run(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
        found = self.infer(x)
        return found["output"] + found["scale"]


class Doubling(Model):
    def infer(self, x: Tensor) -> dict[str, Any]:
        return {"output": 2 * x, "scale": x.mean()}


def doubled(x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
    return Doubling().run(x)


class Rows:
    """Rows as they are given, and from then on as they are read."""

    def __init__(self, rows: list[dict[str, Tensor]]) -> None:
        self.rows = rows
        self.rows = self._read()

    def _read(self):
        return [{"features": row["x"] * 2} for row in self.rows if "x" in row]

    def __getitem__(self, i: int) -> Tensor:
        return self.rows[i]["features"]


def rows_read(x: Float[Tensor, "d"]) -> Float[Tensor, "d"]:
    return Rows([{"x": x}])[0]



def grid(a: Float[np.ndarray, "m"], b: Float[np.ndarray, "n"]) -> Float[np.ndarray, "k m n"]:
    """``np.meshgrid`` made a list before numpy 2."""
    found = np.meshgrid(a, b, indexing="ij")
    found = list(found) if isinstance(found, tuple) else found
    for i in range(len(found)):
        found[i] = found[i][np.newaxis]
    return np.concatenate(found, 0)


def summed_in_float32(x: BFloat16[Tensor, "b m k"], y: BFloat16[Tensor, "b k n"], z: Float[Tensor, "n p"]) -> Tensor:
    """On GPUs ``bmm`` adds up in another dtype where it is asked to."""
    if not x.is_cuda:
        return (x.float() @ y.float()) @ z.float()
    return torch.bmm(x, y, out_dtype=torch.float32) @ z.float()


def widths(pixels, mid: int) -> Tensor:
    """Pictures have three channels, which the code need not say."""
    n, c, h, w = pixels.size()
    return nn.Linear(mid + 3, 2)(torch.cat([torch.zeros(c), torch.zeros(mid)]))


def keep_input(self, args, result) -> None:
    """A hook that calls the module self."""
    self.seen = args[0].detach()


class Watched(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_forward_hook(keep_input)

    def forward(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
        return 2 * x


class Explained(Watched):
    def relevance(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
        return self(x) * self.seen


def falling(x: Float[Tensor, "n d"]) -> Int[Tensor, "n"]:
    """Comparisons gave bytes before torch 1.2."""
    up = x.diff(dim=1) > 0
    if up.dtype.__str__() == "torch.bool":
        down = ~up
    else:
        down = 1 - up
    also = ~up if str(up.dtype) == "torch.bool" else 1 - up
    return (down.long() + also.long()).sum(1)


TABLES = {"letters": {"pad": "_", "rows": 3}}
TABLES["letters"]["all"] = [TABLES["letters"]["pad"], *"abc"]
TABLES["letters"]["number"] = {letter: i for i, letter in enumerate(TABLES["letters"]["all"])}


def numbers(text: str) -> Int[Tensor, "n"]:
    return torch.tensor([TABLES["letters"]["number"][letter] for letter in text])


# run: numbers("abca")
# run: doubled(randn(2, 3))
# run: Explained().relevance(randn(2, 3)), falling(randn(2, 5))
# run: rows_read(randn(3))
# run: summed_in_float32(randn(2, 3, 4).bfloat16(), randn(2, 4, 5).bfloat16(), randn(5, 2))
# run: widths(randn(2, 3, 5, 7), 4)
