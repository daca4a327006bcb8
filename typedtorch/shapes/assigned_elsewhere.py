"""Attributes that code gives to objects from outside, and names that are computed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Set
from fnmatch import fnmatchcase

from typedtorch.shapes.syntax import unbound, walk

REGISTER = {"register_buffer", "register_parameter", "register_module", "add_module"}
HELD_IN = {"__dict__", "_modules", "_parameters", "_buffers"}
_FORMATTED = re.compile(r"%[^a-zA-Z%]*[a-zA-Z]|\{[^{}]*\}")


def assigned_elsewhere(nodes: list[ast.AST]) -> Iterator[str]:
    """Attributes that code gives to, or asks of, an object that may be an instance of any class.

    >>> text = "net.a = 1\\nnet.b.register_buffer('c', d)\\nsetattr(net, name, e)\\nself.add_module(name, f)"
    >>> sorted(assigned_elsewhere(list(ast.walk(ast.parse(text)))))
    ['*', 'a', 'c']

    What a function calls ``self`` that stands in no class is somebody else's: a hook, a method put in later.

    >>> sorted(assigned_elsewhere(list(ast.walk(ast.parse("def hook(self, x, y):\\n    self.seen = y")))))
    ['seen']
    """
    outside = {id(part) for function in unbound(nodes) for part in walk(function)}
    for node in nodes:
        if type(node) not in (ast.Attribute, ast.Call, ast.Subscript):
            continue
        match node:
            case ast.Attribute(value=owner, attr=name, ctx=ast.Store()):
                if id(node) in outside or not is_self(owner):
                    yield name
            case ast.Call(
                func=ast.Name(id="hasattr" | "getattr" | "delattr"),
                args=[_, ast.Constant(value=str(name)), *_],
            ):
                yield name
            case ast.Call(func=ast.Name(id="setattr"), args=[owner, name, _]):
                yield from _given_name(owner, name)
            case ast.Call(func=ast.Attribute(value=owner, attr="__setattr__"), args=[*first, name, _]):
                yield from _given_name(first[0] if first else owner, name)
            case ast.Call(func=ast.Attribute(value=owner, attr=attr)) if attr in REGISTER:
                yield from _given_name(owner, argument(node, 0, "name"))
            case ast.Subscript(value=ast.Attribute(value=owner, attr=held), slice=name, ctx=ast.Store()):
                if held in HELD_IN:
                    yield from _given_name(owner, name)


def _given_name(owner: ast.expr, name: ast.expr | None) -> Iterator[str]:
    """A name that an object gets, or a pattern of it; of a computed one of ``self`` its own class knows."""
    of_super = isinstance(owner, ast.Call) and isinstance(owner.func, ast.Name) and owner.func.id == "super"
    if isinstance(name, ast.Constant):
        yield str(name.value)
    elif not is_self(owner) and not of_super:
        yield _pattern(name)


def _pattern(name: ast.expr | None) -> str:
    """A name that is computed, with a star for each part that the source does not say.

    >>> texts = ("f'{kind}_scale'", "'block%d' % i", "'w' + str(i)", "'w{}'.format(i)", "name")
    >>> [_pattern(ast.parse(text, mode="eval").body) for text in texts]
    ['*_scale', 'block*', 'w*', 'w*', '*']
    """
    match name:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(map(_pattern, parts))
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _pattern(left) + _pattern(right)
        case ast.BinOp(left=ast.Constant(value=str(text)), op=ast.Mod()):
            return _FORMATTED.sub("*", text)
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="format")):
            return _FORMATTED.sub("*", text)
    return "*"


def is_among(name: str, names: Set[str]) -> bool:
    """Whether a name is one of several, or such as one of these with stars in it."""
    return name in names or any(fnmatchcase(name, each) for each in names if "*" in each)


def is_self(node: ast.expr) -> bool:
    """Whether an expression is the name ``self``."""
    return isinstance(node, ast.Name) and node.id == "self"


def argument(call: ast.Call, position: int, *keywords: str) -> ast.expr | None:
    """What a call gives for a parameter, by place or by name."""
    if len(call.args) > position:
        return call.args[position]
    return next((k.value for k in call.keywords if k.arg in keywords), None)


__all__ = ["HELD_IN", "REGISTER", "argument", "assigned_elsewhere", "is_among", "is_self"]
