"""Each message, whole: the function, the argument, the axis, who bound it first, and the call."""

# wrong shapes and dtypes are what these tests are made of
# mypy: disable-error-code="shape, dtype"

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from jaxtyping import AnnotationError, Bool, Float, Float32, Int
from torch import Tensor

from typedtorch.runtime import CheckError, DtypeCheckError, ShapeCheckError, TypeCheckError, typed

ones = torch.ones


@typed
def attend(
    q: Float[Tensor, "batch seq d"],
    k: Float[Tensor, "batch past d"],
    mask: Bool[Tensor, "#batch seq past"] | None = None,
    *extra: Float[Tensor, "*heads d"],
    scale: float = 1.0,
    bias: dict[str, list[Float32[Tensor, "seq"]]] | None = None,
) -> Float[Tensor, "batch seq past"]:
    return q @ k.mT if scale == 1.0 else q


@typed
def doubled(x: Float[Tensor, "n"], y: Float[Tensor, "2*n 3"], w: Int[Tensor, "n//{k}"], k: int) -> None: ...


@typed
def ahead(x: Float[Tensor, "n+1"]) -> None: ...


@typed
def either(x: Float[Tensor, "n d"] | Int[Tensor, "n"] | str, y: int | list[int]) -> None: ...


@typed
def several(
    x: Float[Tensor, "n"] | Float[Tensor, "n d"] | None,
    y: Float[Tensor, "3"] | Float[Tensor, "n d"] | Float[Tensor, "n 4"],
    z: Float[Tensor, "n"] | Bool[Tensor, "n"] | int,
    more: list[Float[Tensor, "n"]] | list[Float[Tensor, "n d"]],
) -> None: ...


@typed
def spread(
    x: Float[Tensor, "*batch d"], y: Float[Tensor, "*#batch d"], z: Float[Tensor, "... 3"]
) -> None: ...


q, k = ones(2, 5, 8), ones(2, 7, 8)
wrong: list[Any] = [[k], None, ["a"]]
MESSAGES: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: attend(q, ones(3, 7, 8)), ShapeCheckError, """\
attend: argument 'k': axis batch: wanted 2, got 3
  wanted  Float[Tensor, "batch past d"]
  got     float32 (3, 7, 8)
  batch = 2 from argument 'q': float32 (2, 5, 8)"""),
    (lambda: attend(ones(5, 8), k), ShapeCheckError, """\
attend: argument 'q': wanted 3 axes, got 2
  wanted  Float[Tensor, "batch seq d"]
  got     float32 (5, 8)"""),
    (lambda: attend(q, k.int()), DtypeCheckError, """\
attend: argument 'k': dtype: wanted Float, got int32
  wanted  Float[Tensor, "batch past d"]
  got     int32 (2, 7, 8)"""),
    (lambda: attend(q, wrong[0]), TypeCheckError, """\
attend: argument 'k': wanted Tensor, got list of 1
  wanted  Float[Tensor, "batch past d"]"""),
    (lambda: attend(q, k, ones(1, 5, 6).bool()), ShapeCheckError, """\
attend: argument 'mask': axis past: wanted 7, got 6
  wanted  Bool[Tensor, "#batch seq past"] | None
  got     bool (1, 5, 6)
  past = 7 from argument 'k': float32 (2, 7, 8)"""),
    (lambda: attend(q, k, None, ones(4, 8), ones(3, 8)), ShapeCheckError, """\
attend: argument '*extra'[1]: axis *heads: wanted (4,), got (3,)
  wanted  Float[Tensor, "*heads d"]
  got     float32 (3, 8)
  *heads = (4,) from argument '*extra'[0]: float32 (4, 8)"""),
    (lambda: attend(q, k, scale=2), TypeCheckError, """\
attend: argument 'scale': wanted float, got int 2"""),
    (lambda: attend(q, k, scale=2.0), ShapeCheckError, """\
attend: return value: axis past: wanted 7, got 8
  wanted  Float[Tensor, "batch seq past"]
  got     float32 (2, 5, 8)
  past = 7 from argument 'k': float32 (2, 7, 8)"""),
    (lambda: attend(q, k, bias={"a": [], "b": [ones(5), ones(4)]}), ShapeCheckError, """\
attend: argument 'bias'['b'][1]: axis seq: wanted 5, got 4
  wanted  Float32[Tensor, "seq"]
  got     float32 (4,)
  seq = 5 from argument 'q': float32 (2, 5, 8)"""),
    (lambda: doubled(ones(4), ones(7, 3), ones(2).int(), 2), ShapeCheckError, """\
doubled: argument 'y': axis 2*n: wanted 8, got 7
  wanted  Float[Tensor, "2*n 3"]
  got     float32 (7, 3)
  n = 4 from argument 'x': float32 (4,)"""),
    (lambda: doubled(ones(4), ones(8, 2), ones(2).int(), 2), ShapeCheckError, """\
doubled: argument 'y': axis 3: wanted 3, got 2
  wanted  Float[Tensor, "2*n 3"]
  got     float32 (8, 2)"""),
    (lambda: doubled(ones(4), ones(8, 3), ones(3).int(), 2), ShapeCheckError, """\
doubled: argument 'w': axis n//{k}: wanted 2, got 3
  wanted  Int[Tensor, "n//{k}"]
  got     int32 (3,)
  n = 4 from argument 'x': float32 (4,)"""),
    (lambda: doubled(ones(4), ones(8, 3), ones(3).int(), 0), ShapeCheckError, """\
doubled: argument 'w': axis 'n//{k}' cannot be computed: \
ZeroDivisionError: integer division or modulo by zero"""),
    (lambda: ahead(ones(4)), AnnotationError, """\
ahead: argument 'x': axis 'n+1': name 'n' is not defined; \
wanted names of arguments and of axes bound further left"""),
    (lambda: either(ones(2), 3), ShapeCheckError, """\
either: argument 'x': wanted 2 axes, got 1
  wanted  Float[Tensor, "n d"] | Int[Tensor, "n"] | str
  got     float32 (2,)"""),
    (lambda: either(wrong[1], 3), TypeCheckError, """\
either: argument 'x': wanted Float[Tensor, "n d"] | Int[Tensor, "n"] | str, got None"""),
    (lambda: either("x", wrong[2]), TypeCheckError, """\
either: argument 'y'[0]: wanted int, got str 'a'"""),
    (lambda: several(ones(1, 2, 3), ones(3), 1, []), ShapeCheckError, """\
several: argument 'x': wanted 1 or 2 axes, got 3
  wanted  Float[Tensor, "n"] | Float[Tensor, "n d"] | None
  got     float32 (1, 2, 3)"""),
    (lambda: several(ones(2, 5), ones(2, 3), 1, []), ShapeCheckError, """\
several: argument 'y': wanted Float[Tensor, "3"] | Float[Tensor, "n d"] | Float[Tensor, "n 4"], \
got float32 (2, 3)
  d = 5 from argument 'x': float32 (2, 5)"""),
    (lambda: several(None, ones(3), ones(2).int(), []), DtypeCheckError, """\
several: argument 'z': dtype: wanted Float or Bool, got int32
  wanted  Float[Tensor, "n"] | Bool[Tensor, "n"] | int
  got     int32 (2,)"""),
    (lambda: several(None, ones(3), 1, [ones(1, 2, 3)]), ShapeCheckError, """\
several: argument 'more'[0]: wanted 1 or 2 axes, got 3
  wanted  Float[Tensor, "n"] | Float[Tensor, "n d"]
  got     float32 (1, 2, 3)"""),
    (lambda: spread(ones(2, 3, 4), ones(2, 2, 4), ones(3)), ShapeCheckError, """\
spread: argument 'y': axis *batch: wanted to broadcast with (2, 3), got (2, 2)
  wanted  Float[Tensor, "*#batch d"]
  got     float32 (2, 2, 4)
  *batch = (2, 3) from argument 'x': float32 (2, 3, 4)"""),
    (lambda: spread(ones(()), ones(3), ones(3)), ShapeCheckError, """\
spread: argument 'x': wanted at least 1 axis, got 0
  wanted  Float[Tensor, "*batch d"]
  got     float32 ()"""),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "text"), MESSAGES)
def test_messages(call: Callable[[], Any], kind: type[Exception], text: str) -> None:
    with pytest.raises(kind) as caught:
        call()
    lines = str(caught.value).splitlines()
    assert "\n".join(lines[:-1]) == text
    line = call.__code__.co_firstlineno
    assert lines[-1] == f"  called  {__file__}:{line} in <lambda>"
    assert len(lines) <= 8
    assert max(map(len, lines[:-1])) <= 200


def test_no_message_holds_a_value_of_a_tensor() -> None:
    secret = torch.full((2, 3), 12345.0)

    @typed
    def take(
        x: Float[Tensor, "n"] | list[Int[Tensor, "n"]] | dict[str, Int[Tensor, "n"]], y: str = ""
    ) -> None: ...

    values: list[Any] = [secret, [secret], {"a": secret}, (secret,), secret[0, 0]]
    for value in values:
        with pytest.raises(CheckError) as caught:
            take(value)
        assert "12345" not in str(caught.value)
    with pytest.raises(CheckError) as caught:
        take(torch.ones(2), secret)  # type: ignore[arg-type]  # the point of the test
    assert "12345" not in str(caught.value)


def test_long_values_and_annotations_are_cut() -> None:
    @typed
    def take(x: tuple[int, int, int, int, int, int, int, int, int, int, int, int] | None) -> None: ...

    with pytest.raises(CheckError) as caught:
        take("a" * 1000)  # type: ignore[arg-type]  # the point of the test
    assert all(len(line) <= 200 for line in str(caught.value).splitlines()[:-1])
    assert "aaaa" not in str(caught.value)


def test_at_most_eight_lines_whatever_the_expression() -> None:
    @typed
    def many(
        x: Float[Tensor, "a b c d e f"], y: Float[Tensor, "a+b+c+d+e+f *g"], z: Float[Tensor, "*g"]
    ) -> None: ...

    with pytest.raises(ShapeCheckError) as caught:
        many(ones(1, 2, 3, 4, 5, 6), ones(20), ones(1))
    assert len(str(caught.value).splitlines()) <= 8
    assert re.search(r"a = 1 from argument 'x'", str(caught.value))


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        ("b (h w)", "axis '(h' is not an expression in axis names: spaces separate axes, "),
        ("b 2d", "axis '2d' is not an expression in axis names: write 2*d"),
        ("b self.d", "axis 'self.d': attributes and items are read inside braces: {self.d}"),
        ("b c+d", "axis 'c+d': name 'c' is not defined; wanted names of arguments and of axes"),
    ],
)
def test_an_axis_that_is_no_expression_says_what_to_write(axes: str, message: str) -> None:
    def take(x: object) -> None: ...

    take.__annotations__["x"] = Float[Tensor, axes]  # what is not in the language is not for a type checker
    with pytest.raises((ShapeCheckError, AnnotationError)) as caught:
        typed(take)(ones(*range(1, 1 + len(axes.split()))))
    assert f"take: argument 'x': {message}" in str(caught.value)


def test_a_scalar_of_numpy_is_told_from_a_number() -> None:
    @typed
    def take(count: int, flag: bool, x: Float[np.ndarray, "n"]) -> None: ...

    for given, message in (
        ((np.int64(3), True, np.ones(2)), "argument 'count': wanted int, got numpy.int64 3"),
        ((3, np.bool_(True), np.ones(2)), r"argument 'flag': wanted bool, got numpy.bool_? True"),
        ((3, True, np.float64(2.5)), "argument 'x': wanted ndarray, got numpy.float64 2.5"),
    ):
        with pytest.raises(TypeCheckError, match=message):
            take(*given)
