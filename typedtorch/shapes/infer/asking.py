"""Tests of what came of comparing sizes: ``if mismatches(a, b)``, ``if why is None``, ``if symmetric``."""

from __future__ import annotations

import ast
from functools import lru_cache

from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.places import read_place
from typedtorch.shapes.infer.values import FunctionV, Tensor
from typedtorch.shapes.syntax import walk

_DEPTH = 3  # a test of a number, which counts, which were found in a loop


def compared(frame: Frame, test: ast.expr) -> list[ast.Name]:
    """The names of what was compared for a test: by a function that it calls, or to set its variables."""
    names = frozenset(n.id for n in _names((test,)) if not isinstance(read_place(frame, n), Tensor))
    behind = () if frame.function is None else _behind(names, frame.function.node)
    found = list(_names(behind)) if _compares_sizes(behind) else []
    for call in _calls((test, *behind)):
        function = read_place(frame, call.func)
        if isinstance(function, FunctionV) and _is_comparing(function, _DEPTH):
            found += _names((*call.args, *(k.value for k in call.keywords)))
    return found


def _is_comparing(function: FunctionV, depth: int) -> bool:
    """Whether a function compares sizes, or one that it calls does."""
    if depth == 0 or _compares_sizes((function.node,)):
        return depth > 0
    names = (call.func.id for call in _calls((function.node,)) if isinstance(call.func, ast.Name))
    called = map(function.module.lookup, names)
    return any(isinstance(inner, FunctionV) and _is_comparing(inner, depth - 1) for inner in called)


@lru_cache(maxsize=16384)
def _behind(names: frozenset[str], function: ast.AST) -> tuple[ast.expr, ...]:
    """What a function sets some variables to, and the variables of that."""
    found: dict[ast.expr, None] = {}
    for _ in range(_DEPTH):
        new = [e for name in names for e in _sources(function).get(name, ()) if e not in found]
        found |= dict.fromkeys(new)
        names = frozenset(name.id for name in _names(tuple(new)))
    return tuple(found)


@lru_cache(maxsize=1024)
def _sources(function: ast.AST) -> dict[str, list[ast.expr]]:
    found: dict[str, list[ast.expr]] = {}
    for node in walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found.setdefault(name, []).append(value)
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                found.setdefault(name, []).append(value)
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                found.setdefault(name, []).append(value)
            case ast.For(target=target, iter=value):
                for each in _names((target,)):
                    found.setdefault(each.id, []).append(value)
    return found


@lru_cache(maxsize=16384)
def _names(nodes: tuple[ast.expr, ...]) -> tuple[ast.Name, ...]:
    return tuple(part for node in nodes for part in walk(node) if isinstance(part, ast.Name))


@lru_cache(maxsize=16384)
def _calls(nodes: tuple[ast.AST, ...]) -> tuple[ast.Call, ...]:
    return tuple(part for node in nodes for part in walk(node) if isinstance(part, ast.Call))


@lru_cache(maxsize=16384)
def _compares_sizes(nodes: tuple[ast.AST, ...]) -> bool:
    """Whether sizes are read and something is compared, somewhere in these."""
    parts = [part for node in nodes for part in walk(node)]
    return any(isinstance(part, ast.Compare) for part in parts) and any(map(reads_a_size, parts))


def reads_a_size(node: ast.AST) -> bool:
    """``x.shape``, ``len(x)``, ``x.is_same_size(y)``."""
    name = getattr(node, "attr", getattr(node, "id", ""))
    return name in ("shape", "size", "len", "numel", "ndim", "dim", "is_same_size", "equal", "data_ptr")


__all__ = ["compared", "reads_a_size"]
