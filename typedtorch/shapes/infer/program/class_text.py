"""What the text of a class says, before anything of it is evaluated."""

from __future__ import annotations

import ast
import builtins
import collections.abc
import typing
from collections.abc import Iterator

from typedtorch.shapes.dtypes import WRAPPERS
from typedtorch.shapes.scopes import DEFAULTED
from typedtorch.shapes.syntax import children, walk

Def = ast.FunctionDef | ast.AsyncFunctionDef
_HARMLESS = frozenset({*vars(builtins), "reveal_type"})  # functions that put nothing into what they are given


def left_to_subclasses(node: Def) -> bool:
    """Whether a method is abstract: decorated so, or nothing but ``raise NotImplementedError``."""
    if _is_abstract(node):
        return True
    statement = node.body[-1]
    if not isinstance(statement, ast.Raise) or statement.exc is None or len(node.body) > 2:
        return False
    error = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
    return _last(error) == "NotImplementedError" and all(isinstance(s, ast.Expr) for s in node.body[:-1])


def _is_abstract(node: Def) -> bool:
    return any(_last(d).startswith("abstract") for d in node.decorator_list)


def is_expression(node: Def | ast.Lambda) -> bool:
    """Whether all that a function does is to return what one expression makes."""
    if isinstance(node, ast.Lambda):
        return True
    body = node.body[1:] if isinstance(node.body[0], ast.Expr) else node.body
    return len(body) == 1 and isinstance(body[0], ast.Return)


def is_stub(node: Def | ast.Lambda) -> bool:
    """Whether what runs is written elsewhere: a body of ``...``, as in a protocol; an abstract method."""
    if isinstance(node, ast.Lambda):
        return False
    match node.body[-1]:
        case ast.Expr(value=ast.Constant(value=value)) if value is Ellipsis and len(node.body) <= 2:
            return True
    return _is_abstract(node)


def declares_only(node: ast.ClassDef) -> bool:
    """Whether a class's body says nothing of what its objects do when they run: that is left to its bases."""
    return not node.decorator_list and all(map(_declares, node.body))


def _declares(statement: ast.stmt) -> bool:
    match statement:
        case ast.Pass() | ast.Expr(value=ast.Constant()) | ast.AnnAssign(value=None):
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"), orelse=[]):
            return True
        case ast.FunctionDef(name="__init_subclass__" | "__class_getitem__"):
            return True
    return False


def always_raises(node: Def | ast.Lambda) -> bool:
    """Whether a function never returns, by its annotation or because each way through it raises."""
    if not isinstance(node, ast.FunctionDef) or node.decorator_list or left_to_subclasses(node):
        return False
    if node.returns is not None and _last(node.returns) in ("NoReturn", "Never"):
        return True
    return _ends_in_raise(node.body) and not any(
        isinstance(part, (ast.Return, ast.Yield, ast.YieldFrom)) for part in walk(node)
    )


def _ends_in_raise(body: list[ast.stmt]) -> bool:
    match body[-1] if body else None:
        case ast.Raise():
            return True
        case ast.If(body=then, orelse=other):
            return _ends_in_raise(then) and _ends_in_raise(other)
    return False


def sets_by_name(node: ast.ClassDef) -> bool:
    """Whether a class sets attributes whose names are not written out."""
    for part in walk(node):
        match part:
            case ast.Call(func=func, args=[_, name, _]) if not isinstance(name, ast.Constant):
                if ast.unparse(func) in ("setattr", "object.__setattr__"):
                    return True
    return False


def only_passes_on(node: Def) -> bool:
    """Whether a ``__setattr__`` does what its base's does with what it is given, or raises."""
    *before, last = node.body
    names = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
    call = last.value if isinstance(last, (ast.Expr, ast.Return)) else None
    if len(names) != 3 or not isinstance(call, ast.Call):
        return False
    given = [*call.args, *(k.value for k in call.keywords if k.arg in ("name", "value"))]
    if [a.id for a in given if isinstance(a, ast.Name)] != names[-len(given) :] or len(given) < 2:
        return False
    own = ("super().__setattr__", "object.__setattr__")[len(given) - 2]
    return ast.unparse(call.func) == own and all(_says_or_raises(statement) for statement in before)


def _says_or_raises(statement: ast.stmt) -> bool:
    """``if ...: raise``, or a docstring."""
    if isinstance(statement, ast.If):
        return not statement.orelse and len(statement.body) == 1 and isinstance(statement.body[0], ast.Raise)
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def helpers_of(definition: ast.AST, receiver: str) -> dict[str, int]:
    """The methods of its object that a constructor calls, with how many arguments; many where spread."""
    given: dict[str, int] = {}
    for node in walk(definition):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if name == receiver:
                arguments = [*node.args]
            case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr=method)):
                arguments = [*node.args]
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=base), attr=method), args=[ast.Name(id=name), *arguments]
            ) if name == receiver and base[:1].isupper():
                pass
            case _:
                continue
        spread = any(isinstance(a, ast.Starred) for a in arguments)
        many = spread or any(keyword.arg is None for keyword in node.keywords)
        number = _MANY if many else len(arguments) + len(node.keywords)
        given[method] = min(given.get(method, number), number)
    return given


_MANY = 99


def held_under(definition: ast.AST, receiver: str, names: set[str]) -> set[str]:
    """The attributes that may be held under one of some names, or that a function is given.

    ``side = self.low if small else self.high``; ``fill(self.low)``.
    """
    found: set[str] = set()
    for node in walk(definition):
        match node:
            case ast.Call(func=ast.Name(id=function), args=given) if function not in _HARMLESS:
                found.update(*(_attributes(a, receiver) for a in given if isinstance(a, ast.Attribute)))
            case ast.Assign(targets=[target], value=value) | ast.For(target=target, iter=value):
                if names and any(isinstance(n, ast.Name) and n.id in names for n in walk(target)):
                    found |= _attributes(value, receiver)
            case ast.NamedExpr(target=ast.Name(id=name), value=value) if name in names:
                found |= _attributes(value, receiver)
    return found


def _attributes(value: ast.expr, receiver: str) -> set[str]:
    """The attributes of ``self`` of which an expression may be one, or be made of them."""
    called = {id(_callee(n)) for n in walk(value) if isinstance(n, ast.Call)}
    return {
        n.attr
        for n in walk(value)
        if isinstance(n, ast.Attribute)
        and isinstance(n.value, ast.Name)
        and n.value.id == receiver
        and id(n) not in called
    }


def _callee(call: ast.Call) -> ast.expr:
    """What is called, or whose item is: ``self.stages`` of ``self.stages[i](x)``."""
    function = call.func
    while isinstance(function, ast.Subscript):
        function = function.value
    return function


def axis_words(node: Def) -> tuple[set[str], list[ast.expr]]:
    """Words of the strings in a signature's annotations, and names that may stand for annotations there."""
    words: set[str] = set()
    names: list[ast.expr] = []
    arguments = node.args
    every = [
        *arguments.posonlyargs,
        *arguments.args,
        *arguments.kwonlyargs,
        arguments.vararg,
        arguments.kwarg,
    ]
    written: list[ast.AST] = [a.annotation for a in every if a is not None and a.annotation is not None]
    if node.returns is not None:
        written.append(node.returns)
    pending = [(annotation, True) for annotation in written]
    while pending:
        inner, of_types = pending.pop()
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            if of_types and "[" not in inner.value:
                continue  # ``-> "Config"``, ``type["Config"]``: a class that is defined later, not an axis
            words |= {w.lstrip("#*_?") for w in inner.value.replace('"', " ").replace("'", " ").split()}
        elif isinstance(inner, ast.Subscript) and _last(inner.value) == "Literal":
            continue
        elif isinstance(inner, ast.Subscript):
            pending += [(inner.value, True), (inner.slice, _last(inner.value) in _OF_TYPES)]
        elif isinstance(inner, (ast.Tuple, ast.BinOp, ast.List)):
            pending += [(part, of_types) for part in children(inner)]
        elif isinstance(inner, (ast.Name, ast.Attribute)) and _last(inner) not in _NO_ALIASES:
            names.append(inner)
    return words, names


_NO_ALIASES = frozenset({*dir(builtins), *WRAPPERS, "Tensor", "Any", "Optional", "Union", "Module"})
_OF_TYPES = frozenset({*dir(builtins), *typing.__all__, *collections.abc.__all__}) - {"Annotated"}


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def declared_attributes(node: Def) -> dict[str, ast.expr]:
    """The annotations in ``self.x: T = ...`` of a method, by attribute."""
    return {
        statement.target.attr: statement.annotation
        for statement in node.body
        if isinstance(statement, ast.AnnAssign)
        and isinstance(statement.target, ast.Attribute)
        and isinstance(statement.target.value, ast.Name)
    }


def is_class_variable(annotation: ast.expr) -> bool:
    """Whether an annotation in a class body is not one of its instances' attributes."""
    if isinstance(annotation, ast.Constant):
        text = annotation.value
        return isinstance(text, str) and ("ClassVar" in text or text.endswith("KW_ONLY"))
    kind = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    return _last(kind) in ("ClassVar", "KW_ONLY")


def defaults(arguments: ast.arguments) -> Iterator[tuple[ast.arg, ast.expr]]:
    """The parameters that have a default, each with it."""
    positional = [*arguments.posonlyargs, *arguments.args]
    yield from zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True)
    for parameter, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if default is not None:
            yield parameter, default


def with_default(arguments: ast.arguments) -> dict[str, str]:
    """The parameters that have a default, each with ``DEFAULTED`` and the number it is, if it is one.

    Where ``widths=(8, 16)`` stands for all that may be passed, the others may be tied to it: ``dim`` to 16.
    """
    found = {parameter.arg: DEFAULTED + _number(default) for parameter, default in defaults(arguments)}
    if not any(_is_row(default) for _, default in defaults(arguments)):
        return found
    required = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return {**dict.fromkeys(required, DEFAULTED), **found}


def _is_row(node: ast.expr) -> bool:
    """Whether a default is a list or a tuple of numbers."""
    return isinstance(node, (ast.List, ast.Tuple)) and any(map(_number, node.elts))


def _number(node: ast.expr) -> str:
    number = isinstance(node, ast.Constant) and type(node.value) is int
    return ast.unparse(node) if number else ""
