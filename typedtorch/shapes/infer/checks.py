"""Calls that refuse what does not fit: behind ``check_same_shape(x, y)`` the two may have one shape.

What is refused is not looked into: whoever calls such a function knows, and sizes that it was given are not
held against each other from there on.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from typedtorch.shapes.infer import asking, proven
from typedtorch.shapes.infer.contents import sizes_in
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.places import read_place
from typedtorch.shapes.infer.values import External, FunctionV, Instance, Value
from typedtorch.shapes.size import Atom
from typedtorch.shapes.syntax import dotted, walk


def note(frame: Frame, call: ast.Call) -> None:
    """A call of which the result is not used."""
    made, args = frame.last_call or (None, None)
    if made is not call or args is None or dotted(call.func) is None:
        return
    if not _refuses(read_place(frame, call.func), call.func):
        return
    given = [*args.values, *args.keywords.values()]
    asked = [proven.asked_by(value) for value in given]
    held = [sizes for sizes in map(_sizes, given) if sizes]
    sizes = frozenset[Atom]().union(*asked, *(held if len(held) > 1 else ()))  # of one tensor only its form
    if sizes:
        frame.state.asked = (*frame.state.asked, (sizes, True))


def decorated(frame: Frame, function: FunctionV) -> None:
    """The body of a function whose decorator refuses what does not fit: its arguments may have one shape."""
    if isinstance(function.node, ast.Lambda) or not function.node.decorator_list:
        return
    for decorator in function.node.decorator_list:
        written = decorator.func if isinstance(decorator, ast.Call) else decorator
        made_by = read_place(frame, written)
        if isinstance(made_by, FunctionV) and _may_raise(made_by.node):
            ask(frame, frame.state.variables.values())


def ask(frame: Frame, values: Iterable[Value]) -> None:
    """From here on the sizes of some values may be one."""
    sizes = frozenset[Atom]().union(*map(_sizes, values))
    if len(sizes) > 1:
        frame.state.asked = (*frame.state.asked, (sizes, True))


def attempted(frame: Frame, body: Sequence[ast.stmt]) -> None:
    """Behind a ``try`` that was left where something was refused: what it tried has fitted."""
    names = dict.fromkeys(n.id for s in body for n in walk(s) if isinstance(n, ast.Name))
    ask(frame, [value for name in names if (value := frame.state.variables.get(name)) is not None])


def _sizes(value: Value) -> frozenset[Atom]:
    if isinstance(value, Instance):  # a module has more sizes than a function can mean
        return frozenset()
    return frozenset(atom for atom in sizes_in(value) if isinstance(atom, Atom))


_NAMES = re.compile(r"check|assert|valid|ensure|require|expect|verify|same", re.IGNORECASE)


def _refuses(function: Value, written: ast.expr) -> bool:
    """Whether a function may raise instead of returning, by its body, or else by its name."""
    if isinstance(function, FunctionV):
        return _may_raise(function.node)
    name = function.name if isinstance(function, External) else _name(written)
    return _NAMES.search(name) is not None


@lru_cache(maxsize=4096)
def _may_raise(function: ast.AST) -> bool:
    nodes = walk(function)
    refuses = any(isinstance(node, (ast.Raise, ast.Assert)) for node in nodes)
    return (refuses and any(map(asking.reads_a_size, nodes))) or any(map(_is_check, nodes))


def _is_check(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and _NAMES.search(_name(node.func)) is not None


def _name(node: ast.expr) -> str:
    return str(getattr(node, "attr", getattr(node, "id", "")))


__all__ = ["ask", "attempted", "decorated", "note"]
