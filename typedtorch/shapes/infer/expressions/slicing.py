"""Slices: what their bounds say about a length where the bounds themselves are not known, or by a call."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.values.values import UNKNOWN, Tensor, Value, is_size
from typedtorch.shapes.rules.slices import slice_size
from typedtorch.shapes.size import Atom, Poly, Size, substitute, unknown
from typedtorch.shapes.taken import Taken, note


def slice_(frame: Frame, node: ast.Slice) -> Value:
    """``start:stop:step``; ``data[i : i + n]`` has n elements wherever it starts."""
    start, stop, step = (
        None if p is None else _integer(frame.evaluate(p)) for p in (node.lower, node.upper, node.step)
    )
    if start is UNKNOWN and stop is UNKNOWN and node.lower is not None and node.upper is not None:
        met: dict[str, Size] = {}
        lower, upper = _symbolic(frame, node.lower, met), _symbolic(frame, node.upper, met)
        if lower is not None and upper is not None:
            start, stop = lower, upper
    return slice(start, stop, step)


def _integer(value: Value) -> Value:
    """A tensor in a slice is one integer."""
    return UNKNOWN if isinstance(value, Tensor) and value.shape == () else value


def _symbolic(frame: Frame, node: ast.expr, met: dict[str, Size]) -> Size | None:
    """A bound as a size in which each unknown integer, known by its text, stands for itself."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)):
        left, right = _symbolic(frame, node.left, met), _symbolic(frame, node.right, met)
        if left is None or right is None:
            return None
        if isinstance(node.op, ast.Mult):
            return left * right
        return left + right if isinstance(node.op, ast.Add) else left - right
    value: Value = UNKNOWN
    if isinstance(node, (ast.Constant, ast.Name, ast.Attribute)):
        value = _integer(frame.evaluate(node))
    if is_size(value):
        return value  # type: ignore[no-any-return]  # a value that is a size
    if value is not UNKNOWN or any(isinstance(part, ast.Call) for part in ast.walk(node)):
        return None
    return met.setdefault(ast.dump(node), unknown())


def in_call(size: Size, slices: Iterable[Taken], own: Callable[[Atom], Size | None]) -> Size:
    """A size of a body in one call, whose numbers may lie beyond the ends of what the body slices.

    Raises:
        LookupError: the call does not say what it is.
    """
    given, lengths, others = substitute(size, own), set[Size](), False
    for part in slices:
        cut = _cut_off(part, own)
        if part.length == size:
            lengths.add(given if cut is None else cut)
        others |= cut is not None and part.length != size
    if others or len(lengths) > 1:
        return unknown()
    length = lengths.pop() if lengths else given
    for part in slices:
        if part.is_window and part.length == size:
            note(part.size, slice(part.start, part.stop), length)  # who calls it has a window, too
    return unknown() if isinstance(length, int) and length < 0 else length


def _cut_off(part: Taken, own: Callable[[Atom], Size | None]) -> int | None:
    """How long a slice is in a call with numbers, where that is not the length it was taken to have."""
    try:
        size, length = substitute(part.size, own), substitute(part.length, own)
        start = None if part.start is None else substitute(part.start, own)
        stop = None if part.stop is None else substitute(part.stop, own)
    except LookupError:
        return None
    if any(isinstance(p, Poly) for p in (size, start, stop)):
        return None
    found = slice_size(size, slice(start, stop, part.step))
    return found if isinstance(found, int) and found != length else None
