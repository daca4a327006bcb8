"""Lists and dicts that are filled by calls whose bodies are not followed, or whose arguments cannot be laid out."""
# ruff: noqa: PLR2004
from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn


# -- arguments that are spread ------------------------------------------------------------------


class Halved(torch.autograd.Function):
    """Hands what is no tensor back in a dict."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, kept: dict[str, Any], *rest: Any) -> Tensor:
        kept["shapes"] = [r.shape for r in rest]
        return x / 2

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return grad / 2, None, None


def halved(x: Float[Tensor, "b d"], *rest: Any) -> Float[Tensor, "b d"]:
    kept: dict[str, Any] = {"mode": "half"}
    out = Halved.apply(x, kept, *list(rest))
    assert kept["shapes"] == [r.shape for r in rest]
    return out


def note(kept, *rest, **named):
    kept["count"] = len(rest) + len(named)


class Notes:
    def __init__(self, kept, *rest):
        kept["made"] = rest
        self.state = {"mode": 1}

    def fill(self, *rest):
        self.state["rest"] = rest

    def __call__(self, kept, *rest):
        kept["called"] = rest

    @staticmethod
    def at(kept, *rest):
        kept["static"] = rest


class Layer(nn.Module):
    def forward(self, x, kept, *rest):
        kept["seen"] = rest
        return x


class Deeper(Layer):
    def run(self, x: Float[Tensor, "b d"], rest: list[Tensor]) -> int:
        kept = {"mode": 0}
        super().forward(x, kept, *rest)
        return len(kept["seen"])


def noted(x: Float[Tensor, "b d"], rest: list[Tensor], named: dict[str, Tensor]) -> Float[Tensor, "b d"]:
    kept = {"mode": 0}
    note(kept, *rest)
    notes = Notes(kept, *rest)
    notes(kept, *rest)
    notes.fill(*rest)
    Notes.at(kept, *rest)
    Layer()(x, kept, *rest)
    by_name = {"mode": 1}
    note(by_name, **named)
    total = kept["count"] + len(kept["made"]) + len(kept["called"]) + len(kept["static"]) + len(kept["seen"])
    return x + total + by_name["count"] + len(notes.state["rest"]) + Deeper().run(x, rest)


def add_row(rows, *others):
    rows.append(others[0])


def second(x: Float[Tensor, "b d"], others: list[Float[Tensor, "b d"]]) -> Float[Tensor, "b d"]:
    rows = [x]
    add_row(rows, *others)
    return rows[1]


# -- bodies that are not those that run -----------------------------------------------------------


class Source(ABC):
    @abstractmethod
    def fill(self, batch: dict[str, Tensor]) -> None: ...


class Ones(Source):
    def fill(self, batch: dict[str, Tensor]) -> None:
        batch["extra"] = torch.ones_like(batch["x"])


class Named:
    def fill(self, batch): ...

    def put(self, batch):
        raise NotImplementedError


class Twos(Named):
    def fill(self, batch):
        batch["extra"] = 2 * batch["x"]

    def put(self, batch):
        batch["put"] = batch["x"]


def filled(source: Source, x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
    batch = {"x": x}
    source.fill(batch)
    return batch["x"] + batch["extra"]


def named(source: Named, x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
    batch = {"x": x}
    source.fill(batch)
    source.put(batch)
    return batch["x"] + batch["extra"] + batch["put"]


def ones_filled(x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
    return filled(Ones(), x) + named(Twos(), x)


def counted(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def count(*given: Any, **names: Any) -> Any:
        return function(*given, **names)

    return count


@counted
def widen(batch: dict[str, Tensor]) -> None:
    batch["wide"] = torch.cat([batch["x"], batch["x"]], -1)


def widened(x: Float[Tensor, "b d"]) -> Float[Tensor, "b 2*d"]:
    batch = {"x": x}
    widen(batch)
    return batch["wide"]


# -- calls too deep to be followed -----------------------------------------------------------------


def at_9(kept):
    kept["end"] = 9


def at_8(kept):
    at_9(kept)


def at_7(kept):
    at_8(kept)


def at_6(kept):
    at_7(kept)


def at_5(kept):
    at_6(kept)


def at_4(kept):
    at_5(kept)


def at_3(kept):
    at_4(kept)


def at_2(kept):
    at_3(kept)


def at_1(kept):
    at_2(kept)


def deep(x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
    kept = {"start": 0}
    at_1(kept)
    return x * kept["end"]


# run: halved(randn(2, 3), randn(2), randn(3))
# run: noted(randn(2, 3), [randn(2), randn(3)], {"a": randn(2)})
# run: second(randn(2, 3), [randn(2, 3)])
# run: ones_filled(randn(2, 3))
# run: widened(randn(2, 3))
# run: deep(randn(2, 3))
