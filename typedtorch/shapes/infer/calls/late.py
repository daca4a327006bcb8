"""Functions that are kept: by the time of a call what they read of their surroundings may be another thing.

``steps.append(lambda: zeros(n))`` in a loop over ``n`` makes functions that all read the last one.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Set
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from typedtorch.shapes.infer.program.index import MUTATORS
from typedtorch.shapes.infer.values.contents import with_parts
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    Choice,
    DictV,
    FunctionV,
    Partial,
    Sequence,
    Value,
)
from typedtorch.shapes.rule import Fields
from typedtorch.shapes.syntax import walk

if TYPE_CHECKING:
    from typedtorch.shapes.infer.frame import Frame

_MAY_HOLD = frozenset({FunctionV, Partial, tuple, Fields, Sequence, DictV, Choice})


def kept(frame: Frame, value: Value, line: int) -> Value:
    """A value that is kept from a line on: of what its functions read, that which stays as it is."""
    if type(value) not in _MAY_HOLD:
        return value
    again: list[Set[str]] = []  # looked for once there is a function

    def change(function: FunctionV) -> FunctionV:
        if not function.closure or function.module is not frame.module:
            return function
        again[:] = again or [_bound_again(frame, line)]
        return _without(function, again[0])

    return _in_functions(value, change)


def without_names(value: Value, names: Set[str]) -> Value:
    """A value whose functions do not know what some names stand for."""
    return _in_functions(value, lambda function: _without(function, names))


def _in_functions(value: Value, change: Callable[[FunctionV], FunctionV]) -> Value:
    if isinstance(value, FunctionV):
        return change(value)
    if isinstance(value, Partial):
        return replace(
            value,
            function=_in_functions(value.function, change),
            args=tuple(_in_functions(v, change) for v in value.args),
            kwargs={k: _in_functions(v, change) for k, v in value.kwargs.items()},
        )
    return with_parts(value, lambda part: _in_functions(part, change)) if type(value) in _MAY_HOLD else value


def _without(function: FunctionV, names: Set[str]) -> FunctionV:
    lost = names & function.captured.keys()
    if not lost:
        return function
    return replace(function, closure={**(function.closure or {}), **dict.fromkeys(lost, UNKNOWN)})


def _bound_again(frame: Frame, line: int) -> Set[str]:
    """The names of a body that are bound, or what they hold changed, after a line has run."""
    node = frame.module.tree if frame.function is None else frame.function.node
    looped = (names for first, last, names in _loops(node) if first <= line <= last)
    return frame.module.facts(node).after(line).union(*looped)


@lru_cache(maxsize=4096)
def _loops(node: ast.AST) -> tuple[tuple[int, int, frozenset[str]], ...]:
    """The loops in a body: their lines, and the names that a turn binds or changes."""
    return tuple(
        (loop.lineno, loop.end_lineno or loop.lineno, frozenset(filter(None, map(_changed, walk(loop)))))
        for loop in walk(node)
        if isinstance(loop, (ast.For, ast.AsyncFor, ast.While))
    )


def _changed(node: ast.AST) -> str | None:
    match node:
        case ast.Name(ctx=ast.Store(), id=name):
            return name
        case ast.Subscript(ctx=ast.Store(), value=ast.Name(id=name)):
            return name
        case ast.Attribute(ctx=ast.Store(), value=ast.Name(id=name)):
            return name
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method in MUTATORS:
            return name
    return None


__all__ = ["kept", "without_names"]
