"""Calls that refuse what does not fit: behind ``check_same_shape(x, y)`` the two may have one shape.

What is refused is not looked into: whoever calls such a function knows, and sizes that it was given are not
held against each other from there on.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from typedtorch.shapes.infer.conditions import asking, proven, refine
from typedtorch.shapes.infer.conditions.places import look, read_place
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.values.contents import sizes_in
from typedtorch.shapes.infer.values.values import ClassV, DictV, External, FunctionV, Instance, Value
from typedtorch.shapes.size import Atom, Poly
from typedtorch.shapes.syntax import Syntax, dotted, walk


def note(frame: Frame, call: ast.Call) -> None:
    """A call of which the result is not used, or that a ``with`` enters."""
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


def guarded(frame: Frame, function: FunctionV) -> None:
    """Its arguments may have one shape where a decorator refuses others, or what calls it asks before."""
    if not isinstance(function.node, ast.Lambda) and any(
        _refuses_first(frame, d) for d in function.node.decorator_list
    ):
        ask(frame, frame.state.variables.values())
    for outer in _functions_around(function.module.syntax, function.node) if function.closure else ():
        for test in _tests(outer):
            names = [*refine.names_of_sizes(test), *asking.compared(frame, test, outer)]
            if len(sizes := refine.sizes_of(frame, names)) > 1:
                frame.state.asked = (*frame.state.asked, (sizes, True))


def _refuses_first(frame: Frame, decorator: ast.expr) -> bool:
    """Whether a decorator calls only where sizes are one: as it, a method or one of its arguments says."""
    call = decorator if isinstance(decorator, ast.Call) else None
    made_by = read_place(frame, decorator if call is None else call.func)
    if not isinstance(made_by, FunctionV) or _may_raise(made_by.node):
        return isinstance(made_by, FunctionV)
    given = () if call is None else (*call.args, *(k.value for k in call.keywords))
    asked = [made_by, *(look(frame, argument) for argument in given), *_methods_called(frame, made_by)]
    return any(isinstance(function, FunctionV) and asking.is_comparing(function) for function in asked)


def _methods_called(frame: Frame, function: FunctionV) -> Iterator[FunctionV]:
    """Methods of the class that a body is in, by their names."""
    owner = frame.owner
    for name in _attributes_called(function.node):
        if owner is not None and (found := owner.find(name)) is not None:
            yield from (FunctionV(node, found[0].module) for node in found[1])


def ask(frame: Frame, values: Iterable[Value]) -> None:
    """From here on the sizes of some values may be one."""
    sizes = frozenset[Atom]().union(*map(_sizes, values))
    if len(sizes) > 1:
        frame.state.asked = (*frame.state.asked, (sizes, True))


def looked_up(frame: Frame, held: DictV, key: Value) -> None:
    """``by_length[len(x)]``: what is found under a size may have that size."""
    if isinstance(key, (Poly, tuple)):
        kept = _sizes(held)
        pairs = [(frozenset((size, other)), True) for size in _sizes(key) for other in kept - {size}]
        frame.state.asked = (*frame.state.asked, *pairs)


def passed(frame: Frame, verdicts: Iterable[Value]) -> None:
    """Behind ``filter(test, xs)`` and ``ways[test]``: the sizes that the test compares may be one."""
    asked = [sizes for sizes in map(proven.asked_by, verdicts) if len(sizes) > 1]
    frame.state.asked = (*frame.state.asked, *((sizes, True) for sizes in asked))


def attempted(frame: Frame, body: Sequence[ast.AST]) -> None:
    """What would have been refused has fitted: a ``try`` that was left, or ``(n,) = {len(x), len(y)}``."""
    names = dict.fromkeys(n.id for s in body for n in walk(s) if isinstance(n, ast.Name))
    ask(frame, [value for name in names if (value := frame.state.variables.get(name)) is not None])


def _sizes(value: Value) -> frozenset[Atom]:
    if isinstance(value, Instance):  # a module has more sizes than a function can mean
        return frozenset()
    return frozenset(atom for atom in sizes_in(value) if isinstance(atom, Atom))


_NAMES = re.compile(r"check|assert|valid|ensure|require|expect|verify|same", re.IGNORECASE)


def _refuses(function: Value, written: ast.expr) -> bool:
    """Whether a function may raise instead of returning, by its body, or else by its name."""
    if isinstance(function, (FunctionV, ClassV)):
        return _may_raise(function.node if isinstance(function, FunctionV) else function.info.node)
    name = function.name if isinstance(function, External) else _name(written)
    return _NAMES.search(name) is not None


@lru_cache(maxsize=256)
def _functions_around(syntax: Syntax, inner: ast.AST) -> tuple[ast.AST, ...]:
    found = [scope for scope in syntax.scopes if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef))]
    return tuple(scope for scope in found if scope is not inner and inner in syntax.within(scope))


@lru_cache(maxsize=4096)
def _tests(function: ast.AST) -> tuple[ast.expr, ...]:
    """What a function decides by."""
    return tuple(node.test for node in walk(function) if isinstance(node, (ast.If, ast.IfExp, ast.While)))


@lru_cache(maxsize=4096)
def _may_raise(function: ast.AST) -> bool:
    nodes = walk(function)
    return (_raises(function) and any(map(asking.reads_a_size, nodes))) or any(map(_is_check, nodes))


@lru_cache(maxsize=4096)
def _raises(function: ast.AST) -> bool:
    return any(isinstance(node, (ast.Raise, ast.Assert)) for node in walk(function))


@lru_cache(maxsize=4096)
def _attributes_called(function: ast.AST) -> frozenset[str]:
    calls = (node for node in walk(function) if isinstance(node, ast.Call))
    return frozenset(call.func.attr for call in calls if isinstance(call.func, ast.Attribute))


def _is_check(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and _NAMES.search(_name(node.func)) is not None


def _name(node: ast.expr) -> str:
    return str(getattr(node, "attr", getattr(node, "id", "")))


__all__ = ["ask", "attempted", "guarded", "looked_up", "note", "passed"]
