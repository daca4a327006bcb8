"""Parameters of which a function only reads: how long one is does not change while it runs.

``j = len(maps)``, and in a loop ``if j < len(maps) - 1``: of ``maps`` nothing is known, but it is one list.
"""

from __future__ import annotations

import ast
from functools import lru_cache

from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.program.tables import READING_FUNCTIONS, READING_METHODS
from typedtorch.shapes.size import Size, unknown
from typedtorch.shapes.syntax import walk


def length_of_name(frame: Frame, node: ast.expr | None) -> Size | None:
    """How many items something unknown has that a function was given, if nothing changes it there."""
    if frame.function is None or not isinstance(node, ast.Name):
        return None
    function = frame.function.node
    return unknown(f"?len({node.id}) {frame.place(function)}") if node.id in _only_read(function) else None


@lru_cache(maxsize=1024)
def _only_read(function: ast.AST) -> frozenset[str]:
    arguments = getattr(function, "args", None)
    if not isinstance(arguments, ast.arguments):
        return frozenset()
    named = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    read: set[int] = set()
    for node in walk(function):
        match node:
            case ast.Call(func=ast.Name(id=name), args=args) if name in _READING:
                read.update(map(id, args))
            case ast.Call(func=ast.Attribute(value=ast.Name() as held, attr=name)) if name in READING_METHODS:
                read.add(id(held))
            case ast.Subscript(value=ast.Name() as held, ctx=ast.Load()):
                read.add(id(held))
            case ast.For(iter=ast.Name() as held) | ast.comprehension(iter=ast.Name() as held):
                read.add(id(held))
            case ast.Compare(comparators=others):
                read.update(map(id, others))
    other = {node.id for node in walk(function) if isinstance(node, ast.Name) and id(node) not in read}
    return frozenset(named - other)


_READING = READING_FUNCTIONS | {"range", "reversed", "isinstance", "iter", "map", "type", "any", "all"}


__all__ = ["length_of_name"]
