"""Whole numbers that are rounded from a fraction of sizes: ``math.ceil(n / 2)``, ``int(width * 0.5)``."""

from __future__ import annotations

import ast

from typedtorch.shapes.bounds import positive
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.values.values import Value, is_size
from typedtorch.shapes.size import Size, floor_div, is_unknown

_EXACT = 64  # products with such parts of two are exact, for sizes as large as one may be


def rounded(frame: Frame, node: ast.expr | None, name: str) -> Size | None:
    """What ``floor``, ``ceil`` or ``int`` makes of an expression, where it is a fraction of sizes."""
    found = _fraction(frame, node)
    if found is None:
        return None
    above, below = found
    if name == "ceil":
        return -floor_div(-above, below)
    if name == "floor" or positive(above):
        return floor_div(above, below)
    return None  # toward zero


def _fraction(frame: Frame, node: ast.expr | None) -> tuple[Size, Size] | None:
    match node:
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            above, below = _exact(frame, left), _exact(frame, right)
        case ast.BinOp():
            above, below = _exact(frame, node), (1, 1)
        case _:
            return None
    if above is None or below is None or not positive(below[0]):
        return None
    return above[0] * below[1], below[0] * above[1]


def _exact(frame: Frame, node: ast.expr) -> tuple[Size, int] | None:
    """A size, or its product with a number, over a power of two."""
    value = frame.evaluate(node)
    if is_size(value):
        return None if is_unknown(value) else (value, 1)
    if isinstance(value, float):
        return _parts(value)
    match node:
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            one, other = _exact(frame, left), _exact(frame, right)
            return None if one is None or other is None else (one[0] * other[0], one[1] * other[1])
    return None


def _parts(value: Value) -> tuple[Size, int] | None:
    if not 0 <= value <= _EXACT:
        return None
    above, below = value.as_integer_ratio()
    return (above, below) if below <= _EXACT else None


__all__ = ["rounded"]
