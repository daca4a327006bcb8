"""Slices: what their bounds say about a length where the bounds themselves are not known."""

from __future__ import annotations

import ast

from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.values import UNKNOWN, Tensor, Value, is_size
from typedtorch.shapes.size import Size, unknown


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
