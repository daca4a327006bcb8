"""What the items of a container of modules are, read from the class that fills it.

``nn.ModuleList`` says of its items that they are modules.  Where a class assigns it once, from calls of
classes, and adds to it in no other way, they are instances of those classes.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from typedtorch.shapes.module_facts import ClassFacts, dotted

_CONTAINERS = {"ModuleList", "Sequential", "ModuleDict"}


@dataclass(frozen=True, slots=True)
class Container:
    """The classes of a container's items, as written; in order where ``fixed``, else one for all."""

    kind: str
    items: tuple[str, ...]
    fixed: bool


def container(facts: ClassFacts, name: str) -> Container | None:
    """The items of ``self.name``: assigned once as a container, and changed only by calls that show them.

    >>> from typedtorch.shapes.module_facts import SourceFacts
    >>> text = "class A:\\n def __init__(self): self.m = nn.ModuleList([B() for _ in range(3)])"
    >>> container(SourceFacts.read(text).classes["A"], "m")
    Container(kind='ModuleList', items=('B',), fixed=False)
    """
    if name in facts.outside:
        return None
    built: list[Container | None] = []
    added: list[str | None] = []
    stored = 0
    for node in facts.nodes:
        match node:
            case ast.Attribute(attr=attr, ctx=ast.Store()) if attr == name:
                stored += 1
            case ast.Assign(targets=[ast.Attribute(attr=attr)], value=value) if attr == name:
                built.append(_built(value))
            case ast.AnnAssign(target=ast.Attribute(attr=attr), value=value) if attr == name:
                built.append(_built(value))
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr=attr), attr=method)) if attr == name:
                added += _added(node, method)
            case ast.Subscript(value=ast.Attribute(attr=attr), ctx=ast.Store()) if attr == name:
                added.append(None)
            case ast.AugAssign(target=ast.Attribute(attr=attr)) if attr == name:
                added.append(None)
    if stored != 1 or len(built) != 1 or built[0] is None or None in added:
        return None
    items = (*built[0].items, *filter(None, added))
    return Container(built[0].kind, items, built[0].fixed and not added) if items else None


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
