"""What the items of a container of modules are, read from the class that fills it.

``nn.ModuleList`` says of its items that they are modules.  Where a class assigns it once, from calls of
classes, and adds to it in no other way, they are instances of those classes.
"""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass

from typedtorch.shapes.syntax import dotted

_CONTAINERS = {"ModuleList", "Sequential", "ModuleDict"}
_SAY = frozenset({ast.Attribute, ast.Assign, ast.AnnAssign, ast.Call, ast.Subscript, ast.AugAssign})


@dataclass(frozen=True, slots=True)
class Container:
    """The classes of a container's items, as written; in order where ``fixed``, else one for all."""

    kind: str
    items: tuple[str, ...]
    fixed: bool


def containers(nodes: list[ast.AST]) -> dict[str, Container]:
    """Attributes assigned once, as a container of modules, and changed only by calls that show its items.

    Args:
        nodes: all that is inside a class.

    >>> from typedtorch.shapes.syntax import walk
    >>> text = "class A:\\n def __init__(self): self.m = nn.ModuleList([B() for _ in range(3)])"
    >>> containers(walk(ast.parse(text)))
    {'m': Container(kind='ModuleList', items=('B',), fixed=False)}
    """
    stored: Counter[str] = Counter()
    built: dict[str, list[Container | None]] = {}
    added: dict[str, list[str | None]] = {}
    for node in nodes:
        if type(node) not in _SAY:
            continue
        match node:
            case ast.Attribute(attr=name, ctx=ast.Store()):
                stored[name] += 1
            case (
                ast.Assign(targets=[ast.Attribute(attr=name)], value=value)
                | ast.AnnAssign(target=ast.Attribute(attr=name), value=value)
            ):
                built.setdefault(name, []).append(_built(value))
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr=name), attr=method)):
                added.setdefault(name, []).extend(_added(node, method))
            case (
                ast.Subscript(value=ast.Attribute(attr=name), ctx=ast.Store())
                | ast.AugAssign(target=ast.Attribute(attr=name))
            ):
                added.setdefault(name, []).append(None)
    found = {n: _with(held, added.get(n, [])) for n, (held, *more) in built.items() if not more}
    return {name: held for name, held in found.items() if held is not None and stored[name] == 1}


def _with(held: Container | None, added: list[str | None]) -> Container | None:
    """A container with what is added to it later; None if it is empty, or not all can be seen."""
    if held is None or None in added:
        return None
    items = (*held.items, *filter(None, added))
    return Container(held.kind, items, held.fixed and not added) if items else None


def _built(value: ast.expr | None) -> Container | None:
    """``nn.ModuleList([Block(), Block()])`` and its like."""
    if not isinstance(value, ast.Call) or value.keywords:
        return None
    kind = (dotted(value.func) or "").rpartition(".")[2]
    if kind not in _CONTAINERS:
        return None
    if kind == "Sequential":
        elements: list[ast.expr] | None = value.args
    elif not value.args:
        elements = []
    else:
        elements = _elements(value.args[0])
    if elements is None:
        return None
    items = [_class_called(element) for element in elements]
    fixed = not (value.args and isinstance(value.args[0], ast.ListComp | ast.GeneratorExp | ast.DictComp))
    return None if None in items else Container(kind, tuple(i for i in items if i), fixed)


def _elements(node: ast.expr) -> list[ast.expr] | None:
    match node:
        case ast.List(elts=elts) | ast.Tuple(elts=elts):
            return elts
        case ast.ListComp(elt=element) | ast.GeneratorExp(elt=element):
            return [element]
        case ast.Dict(values=values) if None not in node.keys:
            return values
        case ast.DictComp(value=element):
            return [element]
    return None


def _class_called(node: ast.expr) -> str | None:
    return dotted(node.func) if isinstance(node, ast.Call) else None


def _added(call: ast.Call, method: str) -> list[str | None]:
    """The classes that a call of a container's method adds to it; None for one that is not seen."""
    match method, call.args:
        case ("append", [item]) | ("insert" | "add_module", [_, item]):
            return [_class_called(item)]
        case "extend", [items]:
            elements = _elements(items)
            return [None] if elements is None else [_class_called(e) for e in elements]
        case (("insert" | "add_module" | "extend" | "append" | "update" | "__setitem__" | "setdefault"), _):
            return [None]
    return []
