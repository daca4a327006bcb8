"""What more than one call holds: results of cached functions, values of a module's names, parts of packages.

Whoever has such a list, object or tensor may change it, and the next reader finds it changed.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from typedtorch.shapes.infer.classes.updates import emptied
from typedtorch.shapes.infer.program.index import MUTATORS
from typedtorch.shapes.infer.values.contents import OF_ATTRIBUTES, with_parts
from typedtorch.shapes.infer.values.values import UNKNOWN, DictV, External, Instance, Sequence, Tensor, Value
from typedtorch.shapes.rule import like
from typedtorch.shapes.syntax import walk

if TYPE_CHECKING:
    from typedtorch.shapes.infer.program.index import Facts
    from typedtorch.shapes.infer.program.program import Module

_CACHES = frozenset({"cache", "lru_cache"})


def of_cache(node: ast.AST, module: Module, value: Value) -> Value:
    """What a function gives; of one that is cached, what callers may have made of it."""
    decorators = getattr(node, "decorator_list", ())
    if not decorators or not any(_last(d) in _CACHES for d in decorators):
        return value
    return held_by_others(value, module.facts(module.tree))


def of_name(name: str, module: Module, value: Value) -> Value:
    """What a name of a module stands for when its functions run, which may change it in place."""
    facts = module.facts(module.tree)
    if isinstance(value, DictV) and value.kind in OF_ATTRIBUTES:
        value = replace(value, items={**value.items, **_changed_in(name, facts, value.items)})
    if isinstance(value, (Sequence, DictV)):
        if name in facts.changed_names:
            return emptied(value)
        return _with_open_dicts(value) if name in _changed_inside(module) else value
    if isinstance(value, Tensor):
        reshaped = facts.reshapes and (name in facts.passed or (name, "data") in facts.stored)
        return UNKNOWN if reshaped else value
    if isinstance(value, Instance):
        stored = _changed_in(name, facts, value.attributes)
        return replace(value, attributes={**value.attributes, **stored}, altered=True) if stored else value
    return value


def _with_open_dicts(value: Sequence | DictV) -> Value:
    """A list or dict in which somebody puts more into the dicts that it holds."""
    return with_parts(value, _opened)


def _opened(part: Value) -> Value:
    return replace(part, rest=UNKNOWN) if isinstance(part, DictV) and part.kind == "dict" else part


@lru_cache(maxsize=64)
def _changed_inside(module: Module) -> frozenset[str]:
    """Names of what has its items changed in a file: ``T["a"].update(b=1)``, ``for t in T: t["b"] = 1``.

    Of an object in one, whose methods may have any names, nothing is said.
    """
    held, changed = set[tuple[str, str]](), set[str]()
    for node in module.syntax.nodes:
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Subscript() as item, attr=method)):
                if method in MUTATORS:
                    changed.add(_holder(item))
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)):
                if method in MUTATORS:
                    changed.add(name)
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store()):
                changed.add(name)
            case ast.For(target=target, iter=source):
                held |= {(t, s) for t in _names(target) for s in _names(source)}
    return frozenset(changed | {source for target, source in held if target in changed})


def _holder(node: ast.expr) -> str:
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _names(node: ast.expr) -> set[str]:
    return {part.id for part in walk(node) if isinstance(part, ast.Name)}


def _changed_in(name: str, facts: Facts, attributes: Mapping[str, Value]) -> dict[str, Value]:
    """The attributes of a module's object that its functions assign, or change the items of."""
    stored = {attribute: UNKNOWN for n, attribute in facts.stored | facts.within if n == name}
    emptied_ones = {k: emptied(v) for k, v in attributes.items() if k in facts.changed_attributes}
    return {**{k: v for k, v in emptied_ones.items() if v is not attributes[k]}, **stored}


def sets_default_dtype(module: Module) -> bool:
    """Whether a file says what floating dtype tensors are made with."""
    return not _DEFAULTS.isdisjoint(module.facts(module.tree).called)


_DEFAULTS = frozenset({"set_default_dtype", "set_default_tensor_type"})


def is_patched(module: Module, name: str) -> bool:
    """Whether a file puts something of its own in the place of what a package has: ``F.relu = mine``."""
    return name.rpartition(".")[2] in module.facts(module.tree).given and name in _patched(module)


@lru_cache(maxsize=64)
def _patched(module: Module) -> frozenset[str]:
    found = set()
    for node in module.syntax.nodes:
        match node:
            case ast.Attribute(ctx=ast.Store(), value=holder, attr=name):
                found.add((_of_package(module, holder), name))
            case ast.Call(func=ast.Name(id="setattr"), args=[holder, ast.Constant(value=str(name)), _]):
                found.add((_of_package(module, holder), name))
    return frozenset(f"{holder}.{name}" for holder, name in found if holder is not None)


def _of_package(module: Module, node: ast.expr) -> str | None:
    """The dotted name of what an expression reads of a package outside the program."""
    if isinstance(node, ast.Name) and all(
        b.kind in ("import", "from") for b in module.bindings.get(node.id, [])
    ):
        value = module.lookup(node.id)
        return value.name if isinstance(value, External) else None
    holder = _of_package(module, node.value) if isinstance(node, ast.Attribute) else None
    return f"{holder}.{node.attr}" if holder is not None and isinstance(node, ast.Attribute) else None


_CHANGEABLE = ("list", "set", "dict", *OF_ATTRIBUTES)


def held_by_others(value: Value, facts: Facts) -> Value:
    """What is left of a value that others of a file have too, who may change it."""
    if isinstance(value, tuple):
        return like(value, [held_by_others(part, facts) for part in value])
    if isinstance(value, DictV) and value.kind == "namespace":
        held = {k: UNKNOWN if k in facts.given else held_by_others(v, facts) for k, v in value.items.items()}
        return replace(value, items=held)
    if isinstance(value, (Sequence, DictV)) and value.kind in _CHANGEABLE:
        return emptied(value)
    if isinstance(value, Tensor):
        return UNKNOWN if facts.reshapes else value
    if isinstance(value, Instance):
        held = {k: UNKNOWN if k in facts.given else v for k, v in value.attributes.items()}
        return replace(value, attributes={k: held_by_others(v, facts) for k, v in held.items()})
    return value


def _last(decorator: ast.expr) -> str:
    inner = decorator.func if isinstance(decorator, ast.Call) else decorator
    return inner.attr if isinstance(inner, ast.Attribute) else getattr(inner, "id", "")
