"""Wrappers that a program's own decorators put around functions: what they hand on and give back."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from typedtorch.shapes.syntax import children, walk

Def = ast.FunctionDef | ast.AsyncFunctionDef


def is_transparent(wrapper: Def) -> bool:
    """Whether a function with ``@functools.wraps(f)`` hands its arguments to ``f`` and the result back.

    One that adds an axis to an argument, or takes the mean of what comes back, has another signature
    than what it wraps, whatever ``wraps`` says.

    >>> text = "@wraps(f)\\ndef g(*args):\\n    out = f(*args)\\n    return out"
    >>> is_transparent(ast.parse(text).body[0])
    True
    >>> is_transparent(ast.parse(text.replace("f(*args)", "f(args[0][None])")).body[0])
    False
    """
    wrapped = _wrapped(wrapper)
    if wrapped is None:
        return True
    outer = {n for node in walk(wrapper) if isinstance(node, (ast.Nonlocal, ast.Global)) for n in node.names}
    if any(_names_in(value) & outer for value in _returned(wrapper)):
        return False  # what an earlier call left there
    parameters = {a.arg for a in walk(wrapper.args) if isinstance(a, ast.arg)}
    stored: dict[str, list[ast.expr | None]] = {}
    for name, value in _stores(wrapper):
        stored.setdefault(name, []).append(value)
    calls = [n for n in walk(wrapper) if isinstance(n, ast.Call) and _name(n.func) == wrapped]
    handed_on = (a for call in calls for a in (*call.args, *(k.value for k in call.keywords)))
    if (
        not calls
        or parameters & stored.keys()
        or any(_changes(a, parameters, set(stored)) for a in handed_on)
    ):
        return False
    return all(_is_result(value, wrapped, stored) for value in _returned(wrapper))


@lru_cache(maxsize=4096)
def gives_back(decorator: Def, *, called: bool) -> bool:
    """Whether a decorator returns the very function that it is given, as one that registers it.

    Args:
        called: what decorates is not the function but what a call of it returns.

    >>> text = "def register(name):\\n    def add(f):\\n        return f\\n    return add"
    >>> gives_back(ast.parse(text).body[0], called=True)
    True
    """
    returned = [_name(value) for value in _returned(decorator)]
    if called:
        inner = [n for n in decorator.body if isinstance(n, ast.FunctionDef) and n.name in returned]
        return len(set(returned)) == len(inner) == 1 and gives_back(inner[0], called=False)
    arguments = [a.arg for a in (*decorator.args.posonlyargs, *decorator.args.args)]
    stored = {name for name, _ in _stores(decorator)}
    return bool(arguments) and set(returned) == {arguments[0]} and arguments[0] not in stored


def _wrapped(wrapper: Def) -> str | None:
    """``f`` of ``@functools.wraps(f)``."""
    for decorator in wrapper.decorator_list:
        match decorator:
            case ast.Call(
                func=ast.Name(id="wraps") | ast.Attribute(attr="wraps"), args=[ast.Name(id=name), *_]
            ):
                return name
    return None


def _stores(wrapper: Def) -> Iterator[tuple[str, ast.expr | None]]:
    """Names that the body binds, also by an item, with what they become where that is one expression."""
    for node in walk(wrapper):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value
            case (
                ast.AnnAssign(target=ast.Name(id=name), value=value)
                | ast.NamedExpr(target=ast.Name(id=name), value=value)
            ):
                yield name, value
            case ast.Assign(targets=targets):
                yield from ((n, None) for t in targets if (n := _stored_name(t)) is not None)
            case ast.AugAssign(target=target) if (found := _stored_name(target)) is not None:
                yield found, None


def _stored_name(target: ast.expr) -> str | None:
    return _name(target.value) if isinstance(target, ast.Subscript) else _name(target)


def _name(node: ast.expr) -> str | None:
    return node.id if isinstance(node, ast.Name) else None


def _changes(argument: ast.expr, parameters: set[str], local: set[str]) -> bool:
    """Whether what is handed on is made of a parameter, and not the parameter itself."""
    plain = argument.value if isinstance(argument, ast.Starred) else argument
    if isinstance(plain, ast.Name):
        return plain.id in local
    return any(isinstance(n, ast.Name) and n.id in parameters | local for n in walk(plain))


def _names_in(value: ast.expr) -> set[str]:
    return {node.id for node in walk(value) if isinstance(node, ast.Name)}


def _returned(wrapper: Def) -> Iterator[ast.expr]:
    """What is returned, but not by functions defined inside."""
    pending: list[ast.AST] = list(wrapper.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Return) and node.value is not None:
            yield node.value
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            pending.extend(children(node))


def _is_result(value: ast.expr | None, wrapped: str, stored: dict[str, list[ast.expr | None]]) -> bool:
    """Whether an expression is what the wrapped function gave, now or (read from a cache) before."""
    match value:
        case ast.Call(func=ast.Name(id="cast") | ast.Attribute(attr="cast"), args=[_, inner]):
            return _is_result(inner, wrapped, stored)
        case ast.Call(func=ast.Name(id=name)):
            return name == wrapped
        case ast.Await(value=inner) | ast.NamedExpr(value=inner):
            return _is_result(inner, wrapped, stored)
        case ast.Name(id=name):
            return all(_is_result(v, wrapped, {}) for v in stored.get(name, ()))
        case ast.Subscript(value=ast.Name(id=name)):
            return name not in stored or all(v is None for v in stored[name])
        case ast.Constant(value=None):
            return True
    return False
