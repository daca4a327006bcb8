"""Numbers that a constant of the program gives: ``NUM_CLASSES = 10``, ``PARENTS = [-1, 0, 0, 1, 2]``.

A body that uses it was written for that many, whatever its annotation calls the axis: ``b joints``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from typedtorch.shapes.infer.containers import enumerations
from typedtorch.shapes.infer.containers.items import items_of
from typedtorch.shapes.infer.containers.lengths import length_of
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.operators.ties import is_batch
from typedtorch.shapes.infer.values.values import ClassV, DictV, Instance, Tensor, Value
from typedtorch.shapes.size import Size
from typedtorch.shapes.syntax import walk


def settled(frame: Frame) -> Callable[[Size, Size], bool]:
    """Whether two sizes are one in this body: they had to be, or it uses a constant that says so."""
    ties = frame.state.ties

    def answer(a: Size, b: Size) -> bool:
        return ties.settled(a, b) or _is_used(frame, a, b) or _is_used(frame, b, a)

    return answer


def _is_used(frame: Frame, name: Size, number: Size) -> bool:
    """Whether a constant of the program that the function or its class reads is, or has, so many."""
    if not isinstance(number, int) or number < 2 or isinstance(name, int) or is_batch(name):
        return False
    return any(_counts(value, number) for value in _read(frame))


def _read(frame: Frame) -> Iterator[Value]:
    """What the names of the module and the attributes of ``self`` are that the function's text reads."""
    if frame.function is None:
        return
    scope = frame.function.node if frame.owner is None else frame.owner.node
    seen: set[str] = set()
    for node in walk(scope):
        text = ast.unparse(node) if isinstance(node, (ast.Name, ast.Attribute)) else ""
        if not text or text in seen or not isinstance(node.ctx, ast.Load):  # type: ignore[attr-defined]
            continue
        seen.add(text)
        if isinstance(node, ast.Name) and node.id not in frame.local_names:
            yield frame.module.lookup(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield _attribute(frame, node.value.id, node.attr)


def _attribute(frame: Frame, holder: str, name: str) -> Value:
    """``self.parents`` and ``Skeleton.parents``: what the class assigns, or a table that an object has."""
    value = frame.lookup(holder)
    if isinstance(value, Instance) and name in value.attributes:
        held = value.attributes[name]
        items = None if isinstance(held, (str, DictV)) else items_of(held)
        return held if items and all(type(item) in _DATA for item in items) else None
    line = value.info.mro() if isinstance(value, (Instance, ClassV)) else ()
    return next((info.evaluate(info.assigned[name]) for info in line if name in info.assigned), None)


_DATA = (int, float, str, tuple)


def _counts(value: Value, number: int) -> bool:
    if type(value) is int:
        return value == number
    if isinstance(value, Tensor):
        return number in value.shape
    if isinstance(value, ClassV):
        members = enumerations.members(value.info) if value.info.kind.is_enum else None
        return members is not None and len(members) == number
    return length_of(value) == number


__all__ = ["settled"]
