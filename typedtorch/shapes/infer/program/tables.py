"""Lists and dicts that a module holds: what is in them when its functions run.

Whoever imports a list or dict may change it.  A name in capitals says that nobody does; a table of classes
and functions may get more of them, and what only a script reads in its own file stays as it is.
"""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from typedtorch.shapes.infer.classes.updates import emptied
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    ClassV,
    DictV,
    Dtype,
    External,
    FunctionV,
    Partial,
    Sequence,
    Value,
    is_size,
)
from typedtorch.shapes.rule import like

if TYPE_CHECKING:
    from typedtorch.shapes.infer.program.program import Module

_MAKERS = (ClassV, FunctionV, External, Partial)
_READING_METHODS = frozenset({"get", "items", "keys", "values", "copy", "index", "count"})
_READING_FUNCTIONS = frozenset(
    {"len", "sorted", "list", "tuple", "set", "dict", "enumerate", "zip", "min", "max", "sum", "print", "str"}
)


def is_constant_name(name: str) -> bool:
    """Whether a name is written as those of constants are."""
    return name.isupper() or (name.startswith("_") and name[1:].isupper())


def lasting(name: str, module: Module, value: Sequence | DictV) -> Value:
    """What a list or dict at the top level of a module holds for good."""
    if is_constant_name(name):
        return value
    if isinstance(value, DictV) and value.items and all(isinstance(v, _MAKERS) for v in value.items.values()):
        return replace(value, rest=UNKNOWN)
    if not _is_script(module) or name in _given_away(module):
        return UNKNOWN
    if isinstance(value, Sequence):
        items = None if value.items is None else tuple([_plain(v) for v in value.items])
        return replace(value, items=items, element=_plain(value.element), grown=None)
    rest = None if value.rest is None else _plain(value.rest)
    return replace(value, items={k: _plain(v) for k, v in value.items.items()}, rest=rest)


def _plain(value: Value) -> Value:
    """An item that nobody can change in place."""
    if isinstance(value, tuple):
        return like(value, [_plain(part) for part in value])
    if value is None or isinstance(value, (bool, float, str, Dtype, *_MAKERS)) or is_size(value):
        return value
    return emptied(value) if isinstance(value, (Sequence, DictV)) else UNKNOWN


@lru_cache(maxsize=64)
def _is_script(module: Module) -> bool:
    """Whether a file is run, and not imported: it has a main part, or prints whatever happens."""
    for node in module.tree.body:
        match node:
            case ast.If(test=ast.Compare(left=ast.Name(id="__name__"), comparators=[ast.Constant()])):
                return True
            case ast.Expr(value=ast.Call(func=ast.Name(id="print"))):
                return True
    return False


@lru_cache(maxsize=64)
def _given_away(module: Module) -> frozenset[str]:
    """Names of which some use takes more than an item, or a look at all."""
    uses: Counter[str] = Counter()
    for node in module.syntax.nodes:
        if isinstance(node, ast.Name):
            uses[node.id] += isinstance(node.ctx, ast.Load)
            continue
        uses.subtract(held.id for held in read_by(node) if isinstance(held, ast.Name))
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attribute)):
                uses[name] += _is_setting(attribute)  # a method, that may change it
    return frozenset(name for name, count in uses.items() if count)


def _is_setting(attribute: str) -> bool:
    """Whether an attribute can only be an item: ``cfg.width`` of a namespace."""
    return not hasattr(dict, attribute) and not hasattr(list, attribute)


def read_by(node: ast.AST) -> list[ast.expr]:
    """The expressions from which a node takes no more than items."""
    match node:
        case ast.Subscript(value=held, ctx=ast.Load()) | ast.Starred(value=held):
            return [held]
        case ast.Attribute(value=held, attr=attribute, ctx=ast.Load()):
            return [held] if _is_setting(attribute) else []
        case ast.For(iter=held) | ast.comprehension(iter=held):
            return [held]
        case ast.Compare(comparators=[held], ops=[ast.In() | ast.NotIn()]):
            return [held]
        case ast.Dict(keys=keys, values=values):
            return [held for key, held in zip(keys, values, strict=True) if key is None]
        case ast.Call(func=function, args=args, keywords=keywords):
            spread = [keyword.value for keyword in keywords if keyword.arg is None]
            if isinstance(function, ast.Attribute) and function.attr in _READING_METHODS:
                return [function.value, *spread]
            if isinstance(function, ast.Name) and function.id in _READING_FUNCTIONS:
                return [*args, *spread]
            return spread
    return []


__all__ = ["is_constant_name", "lasting", "read_by"]
