"""Parameters of which a function only reads: how long one is does not change while it runs.

``j = len(maps)``, and in a loop ``if j < len(maps) - 1``: of ``maps`` nothing is known, but it is one list.
"""

from __future__ import annotations

import ast
from functools import lru_cache

from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.program.tables import read_by
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
    nodes = list(walk(function))
    read = {id(held) for node in nodes for held in read_by(node)}
    other = {node.id for node in nodes if isinstance(node, ast.Name) and id(node) not in read}
    return frozenset(named - other)


__all__ = ["length_of_name"]
