"""Keys that a dict does not have: ``batch["labels"]`` where all that it holds is seen being put in."""

from __future__ import annotations

import ast
from functools import lru_cache

from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.program.index import MUTATORS, REGISTERS
from typedtorch.shapes.infer.program.program import Module
from typedtorch.shapes.infer.program.tables import read_by
from typedtorch.shapes.infer.values.values import DictV, Instance, Value, options_of
from typedtorch.shapes.syntax import walk


def is_missing(frame: Frame, held: DictV, key: Value, where: ast.expr) -> bool:
    """Whether no run finds a key in the dict that an expression ``where`` gives.

    Not where the program itself looks whether it is there, in whichever words: then it is known to be for a
    reason that is not followed.
    """
    if not isinstance(key, str) or held.rest is not None or not held.items or key in held.items:
        return False
    if not all(isinstance(other, str) for other in held.items) or key in _asked_for(frame.module):
        return False
    attribute = _attribute(where)
    return attribute is None or not any(_is_filled(m, attribute.attr, key) for m in _files(frame, attribute))


@lru_cache(maxsize=64)
def _asked_for(module: Module) -> frozenset[str]:
    """Texts that a module compares, lists, or hands to a method that looks something up."""
    found: set[ast.expr] = set()
    for node in module.syntax.nodes:
        match node:
            case ast.Compare(left=left, comparators=others):
                found.update((left, *others))
            case ast.Set(elts=items) | ast.Tuple(elts=items) | ast.List(elts=items):
                found.update(items)
            case ast.Call(func=ast.Attribute(attr="get" | "pop" | "setdefault" | "__contains__"), args=args):
                found.update(args)
    return frozenset(filter(None, map(_text, found)))


def _attribute(where: ast.expr) -> ast.Attribute | None:
    """The attribute of an object that holds a dict, or a list or dict with the dict in it."""
    while isinstance(where, ast.Subscript):
        where = where.value
    return where if isinstance(where, ast.Attribute) else None


def _files(frame: Frame, attribute: ast.Attribute) -> set[Module]:
    """Where an attribute may be filled: this file, and those with the classes of the object that has it."""
    with frame.reporter.mute():
        holder = frame.evaluate(attribute.value)
    of_classes = [i.module for o in options_of(holder) if isinstance(o, Instance) for i in o.info.mro()]
    return {frame.module, *of_classes}


def _is_filled(module: Module, attribute: str, key: str) -> bool:
    """Whether a file may put a key into what an attribute holds, once its object is made."""
    return bool(_put_into(module).get(attribute, frozenset()) & {key, None})


@lru_cache(maxsize=64)
def _put_into(module: Module) -> dict[str, frozenset[str | None]]:
    """By attributes, the keys that are put into their dicts outside of constructors; None for any key."""
    found: dict[str, set[str | None]] = {}
    making = {id(n) for scope in module.syntax.scopes if _is_constructor(scope) for n in walk(scope)}
    others = [node for node in module.syntax.nodes if id(node) not in making]
    read = {id(held) for node in others for held in read_by(node)}
    for node in others:
        match node:
            case ast.Subscript(value=ast.Attribute(attr=attribute) as held, slice=index):
                read.add(id(held))
                if not isinstance(node.ctx, ast.Load):
                    found.setdefault(attribute, set()).add(_text(index))
            case ast.Attribute(value=ast.Attribute(attr=attribute) as held, attr=method):
                if method not in _FILLING:
                    read.add(id(held))
    for node in others:
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and id(node) not in read:
            found.setdefault(node.attr, set()).add(None)
    return {attribute: frozenset(keys) for attribute, keys in found.items()}


def _text(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


_FILLING = MUTATORS | REGISTERS | {"__setitem__"}


def _is_constructor(scope: ast.AST) -> bool:
    return isinstance(scope, ast.FunctionDef) and scope.name in ("__init__", "__post_init__")
