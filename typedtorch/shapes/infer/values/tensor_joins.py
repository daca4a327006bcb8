"""Joins of tensors and shapes: what holds whichever of two came about."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from typedtorch.shapes.equality import is_argument, same
from typedtorch.shapes.rule import like
from typedtorch.shapes.size import Poly, Size, atoms, counted, either, floor_div, is_counted, unknown
from typedtorch.shapes.tensor import ANY_AXES, Entry, Pack, Shape, Tensor, pack_index, same_entry

if TYPE_CHECKING:
    from typedtorch.shapes.infer.values.values import Value


def join_tensor(a: Tensor, b: Tensor, key: str) -> Tensor:
    """A tensor that is one of two of one library; ``key`` makes the names of sizes that differ."""
    layout = a.layout if a.layout == b.layout else None
    return Tensor(
        _join_shape(a.shape, b.shape, key),
        a.dtype | b.dtype,
        deliberate=a.deliberate or b.deliberate,
        layout=layout,
        library=a.library,
    )


def _join_shape(a: Shape, b: Shape, key: str) -> Shape:
    """Axis by axis where the ranks are known and equal; else the common head and tail."""
    if pack_index(a) is None and pack_index(b) is None and len(a) == len(b):
        return tuple(_join_entry(x, y, f"{key}[{i}]") for i, (x, y) in enumerate(zip(a, b, strict=True)))
    head: list[Entry] = []
    for x, y in zip(a, b, strict=False):
        if same_entry(x, y) is not True:
            break
        head.append(x)
    if len(head) == len(a) == len(b):
        return a
    tail: list[Entry] = []
    for x, y in zip(reversed(a[len(head) :]), reversed(b[len(head) :]), strict=False):
        if same_entry(x, y) is not True:
            break
        tail.append(x)
    return (*head, ANY_AXES, *reversed(tail))


def _join_entry(a: Entry, b: Entry, key: str) -> Entry:
    if isinstance(a, Pack) or isinstance(b, Pack):
        return ANY_AXES
    if same(a, b) is True:
        return a
    if _parities and _is_whole(_parities[-1], a, b):
        return _parities[-1]
    if is_counted(a) and is_counted(b) and str(a) == str(b):
        return counted(str(a), key)  # whichever it is, only running tells
    return unknown(f"?{key}")


_parities: list[Poly] = []


@contextlib.contextmanager
def odd_or_even(size: Poly) -> Iterator[None]:
    """Inside the block two ways are joined of which one is taken where a size is odd."""
    _parities.append(size)
    try:
        yield
    finally:
        _parities.pop()


def _is_whole(size: Size, a: Size, b: Size) -> bool:
    """Whether two sizes are what an even and an odd ``size`` are made up to, each of its halves."""
    halves = 2 * floor_div(size, 2)
    return (a, b) in ((halves, halves + 1), (halves + 1, halves))


def join_size(a: Size, b: Size, key: str) -> Size:
    """An integer argument, or what the program takes in its place: one of two; else unknown."""
    for given, otherwise in ((a, b), (b, a)):
        if is_argument(given) and all(a.kind not in ("opaque", "either") for a in atoms(otherwise)):
            return either(given, otherwise)
    return unknown(f"?{key}")


def is_open(promised: Value) -> bool:
    """Whether an annotation leaves a run of axes open: ``...``."""
    return isinstance(promised, Tensor) and ANY_AXES in promised.shape


def closed(promised: Value, made: Value) -> Value:
    """What is promised, with the axes that the body gives it where the promise leaves them open."""
    if isinstance(promised, tuple) and isinstance(made, tuple) and len(promised) == len(made):
        return like(promised, map(closed, promised, made))
    if not (isinstance(promised, Tensor) and isinstance(made, Tensor)) or not is_open(promised):
        return promised
    if made.rank is None and promised.shape != (ANY_AXES,):
        return promised
    return replace(made, dtype=promised.dtype & made.dtype or promised.dtype)
