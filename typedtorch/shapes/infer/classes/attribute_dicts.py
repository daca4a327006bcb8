"""Dicts whose items are attributes too: ``class Config(dict)`` whose ``__getattr__`` looks among the items.

Known are classes that do this and nothing else, in one of the ways in which it is usually written.  Such an
object is a dict of the kind ``attributes``, or ``read attributes`` where assigning one does not set an item.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from typedtorch.shapes.infer.calls.binding import Args
from typedtorch.shapes.infer.containers import containers
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.values.values import DictV, Value

if TYPE_CHECKING:
    from typedtorch.shapes.infer.classes.classes import ClassInfo
    from typedtorch.shapes.infer.program.class_text import Def


def made(frame: Frame, info: ClassInfo, args: Args, node: ast.AST) -> DictV | None:
    """What a call of such a class makes; None for any other class."""
    kind = _kind(info)
    if kind is None:
        return None
    value: Value = containers.to_dict(frame, args, node)
    assert isinstance(value, DictV)
    return replace(value, kind=kind)


@lru_cache(maxsize=4096)
def _kind(info: ClassInfo) -> str | None:
    if info.kind.external != ("builtins.dict",) or len(info.mro()) > 1:
        return None
    does: set[str] = set()
    for statement in info.node.body:
        what = _what(statement)
        if what is None:
            return None
        does.add(what)
    if "shares" in does or {"reads", "assigns"} <= does:
        return "attributes"
    return "read attributes" if "reads" in does else None


def _what(statement: ast.stmt) -> str | None:
    """What a statement of the class's body is for; None where it may be for something else."""
    match statement:
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return "nothing"
        case ast.Assign(
            targets=[ast.Name(id=name)], value=ast.Attribute(value=ast.Name(id="dict"), attr=method)
        ):
            return _OF_DICT.get((name, method))
        case ast.FunctionDef(name="__init__"):
            return _of_constructor(statement)
        case ast.FunctionDef(name="__getattr__"):
            return "reads" if _reads(statement) else None
        case ast.FunctionDef(name="__setattr__", args=ast.arguments(args=[own, key, value])):
            body = _body(statement)
            return "assigns" if len(body) == 1 and _sets(body[0], own.arg, key.arg, value.arg) else None
        case ast.FunctionDef(name="__delattr__" | "__repr__" | "__str__" | "__dir__"):
            return "nothing"
    return None


_OF_DICT = {
    ("__getattr__", "get"): "reads",
    ("__getattr__", "__getitem__"): "reads",
    ("__setattr__", "__setitem__"): "assigns",
    ("__delattr__", "__delitem__"): "nothing",
}


def _of_constructor(node: Def) -> str | None:
    """``super().__init__(*args, **kwargs)``, and ``self.__dict__ = self`` behind it."""
    given = node.args
    if len(given.args) != 1 or given.vararg is None or given.kwarg is None:
        return None
    own, call = given.args[0].arg, f"__init__(*{given.vararg.arg}, **{given.kwarg.arg})"
    ways = {f"super().{call}", f"super({_CLASS}, {own}).{call}"}
    match _body(node):
        case [ast.Expr(value=first), *rest] if _plain(first) in ways:
            shares = [ast.unparse(s) for s in rest] == [f"{own}.__dict__ = {own}"]
            return "shares" if shares else "nothing" if not rest else None
    return None


_CLASS = "C"


def _plain(call: ast.expr) -> str:
    """The text of a call, in which every class that ``super`` names is one."""
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super"), args=[_, own]))):
            return f"super({_CLASS}, {ast.unparse(own)})" + ast.unparse(call).partition(")")[2]
    return ast.unparse(call)


def _reads(node: Def) -> bool:
    """Whether ``__getattr__`` gives the item of the name, and otherwise raises or gives ``None``."""
    body, given = _body(node), [a.arg for a in node.args.args]
    match body:
        case [ast.Try(body=inner, handlers=[ast.ExceptHandler(body=[ast.Raise()])], orelse=[], finalbody=[])]:
            body = inner
        case [ast.If(test=test, body=[ast.Return() as item], orelse=[]), ast.Raise()] if len(given) == 2:
            body = [item] if ast.unparse(test) == "{1} in {0}".format(*given) else []
    if len(body) != 1 or not isinstance(body[0], ast.Return) or body[0].value is None or len(given) != 2:
        return False
    own, name = given
    given_back = ast.unparse(body[0].value)
    return given_back in (f"{own}[{name}]", f"{own}.get({name})", f"{own}.get({name}, None)")


def _sets(statement: ast.stmt, own: str, key: str, value: str) -> bool:
    return ast.unparse(statement) in (f"{own}[{key}] = {value}", f"dict.__setitem__({own}, {key}, {value})")


def _body(node: Def) -> list[ast.stmt]:
    """The statements of a body without its docstring."""
    return [s for s in node.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]


__all__ = ["made"]
