"""`scope="instance"`: the quick check and the full one agree on every kind of attribute and class."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

import pytest
import torch
from jaxtyping import Float
from torch import Tensor

from typedtorch.runtime import CheckError, ShapeCheckError, typed
from typedtorch.runtime.checker import Checker

ones = torch.ones


@typed(scope="instance")
class Layer:
    """`a` comes from the class, `b` and `c` from the instance or not at all, `d` from a property."""

    a = 2
    weight: Float[Tensor, "b #c"]
    flag = True

    @property
    def d(self) -> Any:
        return self.size

    def __init__(self, size: Any, b: Any = None, weight: Tensor | None = None) -> None:
        self.size = size
        self.b = b
        if weight is not None:
            self.weight = weight

    def use(self, x: Float[Tensor, "a b"], y: Float[Tensor, "#d 2*b flag"]) -> Float[Tensor, "c"]:
        return ones(3)

    @staticmethod
    def free(x: Float[Tensor, "ndim itemsize"]) -> None: ...


class Other(Layer):
    extra: Float[Tensor, "d d"]


@typed(scope="instance")
class Slotted:
    __slots__ = ("n",)

    def use(self, x: Float[Tensor, "n"]) -> Float[Tensor, "n"]:
        return x


@typed(scope="instance")
@dataclass
class Table:
    rows: Float[Tensor, "n d"]

    def add(self, row: Float[Tensor, "d"]) -> Float[Tensor, "n+1 d"]:
        return torch.cat([self.rows, row[None]])


def outcome(function: Any) -> str:
    try:
        function()
    except CheckError as error:
        return type(error).__name__
    return "accepted"


@pytest.mark.parametrize("seed", range(20))
def test_quick_and_full_check_agree(seed: int) -> None:
    rng, seen = Random(seed), set()
    full = Checker(Layer.use.__wrapped__, {}, "instance")  # type: ignore[attr-defined]  # what wraps leaves
    for _ in range(60):
        weight = None if rng.random() < 0.4 else ones(rng.choice((2, 3)), rng.choice((1, 3)))
        made = rng.choice((Layer, Other))(rng.choice((2, 3, True, "x")), rng.choice((None, 2, 3)), weight)
        if isinstance(made, Other) and rng.random() < 0.5:
            made.extra = ones(2, rng.choice((2, 3)))
        if rng.random() < 0.2:
            vars(made)["c"] = rng.choice((3, 4, None))
        x = ones(rng.choice((2, 2, 3)), rng.choice((2, 3)))
        y = ones(rng.choice((1, 2, 3)), 2 * x.shape[1], rng.choice((1, 2)))

        def check(made: Any = made, x: Tensor = x, y: Tensor = y) -> None:
            full.result(ones(3), full.arguments((made, x, y)))

        wanted = outcome(check)
        assert outcome(lambda made=made, x=x, y=y: made.use(x, y)) == wanted
        seen.add(wanted)
    assert seen == {"accepted", "ShapeCheckError"}


def test_static_methods_have_no_instance() -> None:
    Layer.free(ones(5, 7))


def test_slots() -> None:
    slotted = Slotted()
    assert slotted.use(ones(4)).shape == (4,)
    setattr(slotted, "n", 3)  # noqa: B010 - not declared
    with pytest.raises(ShapeCheckError, match="axis n: wanted 3, got 4"):
        slotted.use(ones(4))


def test_fields_of_a_dataclass() -> None:
    table = Table(ones(2, 3))
    assert table.add(ones(3)).shape == (3, 3)
    with pytest.raises(ShapeCheckError) as caught:
        table.add(ones(4))
    assert "d = 3 from self.rows: float32 (2, 3)" in str(caught.value)


def test_an_undecorated_call_of_an_unbound_method() -> None:
    with pytest.raises(ShapeCheckError):
        Table.add(self=Table(ones(2, 3)), row=ones(4))
    assert Table.add(Table(ones(2, 3)), ones(3)).shape == (3, 3)
