"""Integers that several objects of one class have: those of one need not be those of another.

``second.linear.weight @ first.linear.weight`` of two layers that a function is given: the class calls both
widths of each by the same names, and whoever calls it knows which layer follows which.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from typedtorch.shapes.infer.conditions.places import read_place
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.values.contents import parts_of
from typedtorch.shapes.infer.values.values import DictV, Instance, Sequence, Value
from typedtorch.shapes.size import Atom, atoms, integer

_DEPTH = 3


def integers_of_several(frame: Frame, node: ast.AST) -> frozenset[Atom]:
    """The integers of classes with two objects here, where an operator is not given those of one alone."""
    if _of_one_object(frame, node):
        return frozenset()
    found: dict[int, Instance] = {}
    count: Counter[int] = Counter()
    for value in frame.state.variables.values():
        for held, times in _objects(value, _DEPTH):
            count[id(held.info)] += times if id(held) not in found else 0
            found[id(held)] = held
    several = [held for held in found.values() if count[id(held.info)] > 1]
    return frozenset(a for held in several for name in held.arguments for a in atoms(integer(name)))


def _objects(value: Value, depth: int) -> Iterator[tuple[Instance, int]]:
    """The objects in a value that came from elsewhere; one that stands for every item of a list is many."""
    if isinstance(value, Instance) and value.assumed:
        yield value, 1
    if depth and isinstance(value, (Instance, Sequence, DictV, tuple)):
        many = isinstance(value, (Sequence, DictV)) and getattr(value, "items", None) in (None, {})
        for part in parts_of(value):
            yield from ((held, 2 if many else times) for held, times in _objects(part, depth - 1))


def _of_one_object(frame: Frame, node: ast.AST) -> bool:
    """Whether all operands are read of one object: ``enc.up.weight @ enc.down.weight``."""
    operands = [node.left, node.right] if isinstance(node, ast.BinOp) else []
    owners = {_owner(frame, operand) for operand in operands}
    return len(owners) == 1 and None not in owners


def _owner(frame: Frame, node: ast.expr) -> str | None:
    """The innermost object that an expression reads an attribute of, as it is written."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(read_place(frame, node), Instance):
            return ast.unparse(node)
    return None


__all__ = ["integers_of_several"]
