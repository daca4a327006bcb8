"""What is assigned where: lists changed in place that are one of several, tuples written out."""

from __future__ import annotations

import ast
import collections.abc
from dataclasses import replace
from typing import TYPE_CHECKING

from typedtorch.shapes.infer.values import DictV, Sequence, Value, join

if TYPE_CHECKING:
    from typedtorch.shapes.infer.frame import Frame


def changed(frame: Frame, receiver: Value, updated: Value, source: ast.AST) -> None:
    """The list or dict that ``source`` gave, or whose method it calls, is another one now.

    ``kept[name].append(row)`` changes one of the lists in ``kept``; any of them may be that one.
    """
    if isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute):
        source = source.func.value
    if isinstance(source, ast.Subscript) and isinstance(source.value, (ast.Name, ast.Attribute)):
        holder, index = frame.evaluate(source.value), frame.evaluate(source.slice)
        if isinstance(holder, (DictV, Sequence)) and not isinstance(index, (str, int)):
            frame.state.replace_value(holder, _one_of(holder, updated, frame.place(source)))
            return
    frame.state.replace_value(receiver, updated)


def _one_of(holder: DictV | Sequence, updated: Value, place: str) -> Value:
    """What a list or dict is when one of the things it holds, whichever it is, was changed."""
    if isinstance(holder, DictV):
        items = {k: join(v, updated, f"{place}.{k}") for k, v in holder.items.items()}
        rest = None if holder.rest is None else join(holder.rest, updated, place)
        return replace(holder, items=items, rest=rest)
    if holder.items is None:
        return replace(holder, element=join(holder.element, updated, place))
    return replace(holder, items=tuple(join(v, updated, f"{place}.{i}") for i, v in enumerate(holder.items)))


def parts(source: ast.expr | None, count: int) -> collections.abc.Sequence[ast.expr | None]:
    """The expressions that ``a, b = x.shape, y.shape`` takes apart, where they are written out."""
    match source:
        case ast.Tuple(elts=elts) if len(elts) == count and not any(isinstance(e, ast.Starred) for e in elts):
            return elts
    return [None] * count


__all__ = ["changed", "parts"]
