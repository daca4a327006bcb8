"""Tests of what came of comparing sizes: ``if mismatches(a, b)``, ``if why is None``, ``if symmetric``."""

from __future__ import annotations

import ast
from functools import lru_cache

from typedtorch.shapes.equality import is_argument
from typedtorch.shapes.infer.conditions.places import read_place
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.program.index import MUTATORS
from typedtorch.shapes.infer.values.values import (
    ClassV,
    FunctionV,
    Instance,
    Tensor,
    Value,
    is_size,
    options_of,
)
from typedtorch.shapes.size import Atom, atoms
from typedtorch.shapes.syntax import walk

_DEPTH = 3  # a test of a number, which counts, which were found in a loop


def compared(frame: Frame, test: ast.expr, around: ast.AST | None = None) -> list[ast.Name]:
    """The names of what was compared for a test: by a function that it calls, or to set its variables.

    ``around``: the function that the test is in, where that is another than the frame's.
    """
    if around is None and frame.function is not None:
        around = frame.function.node
    names = frozenset(n.id for n in _names((test,)) if not _may_be_data(read_place(frame, n)))
    behind: tuple[ast.expr, ...] = ()
    found: list[ast.Name] = []
    if around is not None:
        behind = _behind(names, around)
        read = (*behind, test) if _is_of_two_names(test) else behind
        found += [name for expression in read for name in _compared_in(expression, around)]
    twice = _called_twice(test)
    for call in _calls((test, *behind)):
        if _has_tests(call.func):
            continue  # evaluating it would ask the same again
        function = read_place(frame, call.func)
        by_class = isinstance(function, ClassV) and _compares_sizes((function.info.node,))
        by_function = isinstance(function, FunctionV) and (
            is_comparing(function) or (call in twice and _reads_sizes(function.node))
        )
        if by_class or by_function:
            found += _names((*call.args, *(k.value for k in call.keywords)))
    return found


def beside_one(frame: Frame, test: ast.expr, *, positive: bool) -> frozenset[Atom]:
    """The integers that were passed, where one of them is 1: of two others one may be that times the other.

    ``if ep_size == 1: return counts.view(1, num_local)`` of ``num_experts`` counts.
    """
    match test:
        case ast.Compare(left=left, ops=[op], comparators=[ast.Constant(value=1)]):
            is_one = isinstance(op, (ast.Eq, ast.LtE)) if positive else isinstance(op, (ast.NotEq, ast.Gt))
            value = read_place(frame, left)
            if is_one and is_size(value) and is_argument(value):
                held = list(frame.state.variables.values())
                for owner in [v for v in held if isinstance(v, Instance)]:
                    held += owner.attributes.values()
                return frozenset(a for v in held if is_size(v) and is_argument(v) for a in atoms(v))
    return frozenset()


@lru_cache(maxsize=16384)
def _has_tests(function: ast.expr) -> bool:
    """Whether something is called on the outcome of a test: ``[x for x in xs if x in seen].index``."""
    return any(isinstance(part, (ast.IfExp, ast.BoolOp, ast.comprehension)) for part in walk(function))


def _may_be_data(value: Value) -> bool:
    return any(isinstance(option, Tensor) and option.shape != () for option in options_of(value))


def is_comparing(function: FunctionV, depth: int = _DEPTH) -> bool:
    """Whether a function compares sizes, or one that it calls does."""
    if depth == 0 or _compares_sizes((function.node,)):
        return depth > 0
    names = (call.func.id for call in _calls((function.node,)) if isinstance(call.func, ast.Name))
    called = map(function.module.lookup, names)
    return any(isinstance(inner, FunctionV) and is_comparing(inner, depth - 1) for inner in called)


@lru_cache(maxsize=16384)
def _behind(names: frozenset[str], function: ast.AST) -> tuple[ast.expr, ...]:
    """What a function sets some variables to, and the variables of that."""
    found: dict[ast.expr, None] = {}
    for _ in range(_DEPTH):
        new = [e for name in names for e in _sources(function).get(name, ()) if e not in found]
        found |= dict.fromkeys(new)
        names = frozenset(name.id for name in _names(tuple(new)))
    return tuple(found)


@lru_cache(maxsize=16384)
def _compared_in(expression: ast.expr, function: ast.AST) -> tuple[ast.Name, ...]:
    """The names of what an expression compares: ``x != y``, where they are of ``zip(a.shape, b.shape)``."""
    tests = tuple(part for part in walk(expression) if _is_comparison(part))
    sources = _sources(function)
    read = (expression, *(e for name in _names(tests) for e in sources.get(name.id, ())))
    return _names(read) if tests and any(reads_a_size(part) for e in read for part in walk(e)) else ()


@lru_cache(maxsize=1024)
def _sources(function: ast.AST) -> dict[str, list[ast.expr]]:
    found: dict[str, list[ast.expr]] = {}
    for node in walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found.setdefault(name, []).append(value)
            case ast.Assign(targets=[ast.Tuple() as targets], value=ast.Call() as value):
                for each in _names((targets,)):
                    found.setdefault(each.id, []).append(value)
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name), slice=key)], value=value) if (
                _reads_sizes(key)
            ):
                found.setdefault(name, []).append(ast.Dict([key], [value]))
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                found.setdefault(name, []).append(value)
            case ast.AnnAssign(target=ast.Name(id=name)) if node.value is not None:
                found.setdefault(name, []).append(node.value)
            case ast.If(test=test, body=body, orelse=orelse):
                for name in frozenset[str]().union(*map(_set_in, (*body, *orelse))):
                    found.setdefault(name, []).append(test)
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                found.setdefault(name, []).append(value)
            case ast.For(target=target, iter=value):
                for each in _names((target,)):
                    found.setdefault(each.id, []).append(value)
    return found


def _set_in(statement: ast.stmt) -> set[str]:
    """The variables that a statement sets, or whose items it changes."""
    names = set()
    for node in walk(statement):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                names.add(name)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method in MUTATORS:
                names.add(name)
    return names


@lru_cache(maxsize=16384)
def _names(nodes: tuple[ast.AST, ...]) -> tuple[ast.Name, ...]:
    return tuple(part for node in nodes for part in walk(node) if isinstance(part, ast.Name))


@lru_cache(maxsize=16384)
def _calls(nodes: tuple[ast.AST, ...]) -> tuple[ast.Call, ...]:
    return tuple(part for node in nodes for part in walk(node) if isinstance(part, ast.Call))


@lru_cache(maxsize=16384)
def _called_twice(test: ast.expr) -> tuple[ast.Call, ...]:
    """Calls of one function that a test compares: ``describe(x) == describe(y)``."""
    found: list[ast.Call] = []
    for node in walk(test):
        match node:
            case ast.Compare(
                left=ast.Call() as a, ops=[ast.Eq() | ast.NotEq()], comparators=[ast.Call() as b]
            ):
                if ast.dump(a.func) == ast.dump(b.func):
                    found += (a, b)
    return tuple(found)


@lru_cache(maxsize=16384)
def _reads_sizes(node: ast.AST) -> bool:
    return any(map(reads_a_size, walk(node)))


@lru_cache(maxsize=16384)
def _compares_sizes(nodes: tuple[ast.AST, ...]) -> bool:
    """Whether sizes are read and something is compared, somewhere in these."""
    parts = [part for node in nodes for part in walk(node)]
    return any(map(_is_comparison, parts)) and any(map(reads_a_size, parts))


def _is_comparison(node: ast.AST) -> bool:
    """A comparison of values, also with the keys of a dict: ``x is None`` is none."""
    if isinstance(node, ast.Compare):
        return not isinstance(node.ops[0], (ast.Is, ast.IsNot))
    keys = node.keys if isinstance(node, ast.Dict) else [node.key] if isinstance(node, ast.DictComp) else ()
    return any(reads_a_size(part) for key in keys if key is not None for part in walk(key))


def _is_of_two_names(test: ast.expr) -> bool:
    """``low == high``."""
    match test:
        case ast.Compare(left=ast.Name(), ops=[ast.Eq() | ast.NotEq()], comparators=[ast.Name()]):
            return True
    return False


def reads_a_size(node: ast.AST) -> bool:
    """``x.shape``, ``len(x)``, ``x.is_same_size(y)``."""
    name = getattr(node, "attr", getattr(node, "id", ""))
    return name in _SIZES


_SIZES = frozenset(
    {"shape", "size", "len", "numel", "ndim", "dim", "is_same_size", "equal", "data_ptr", "parse_shape"}
)


__all__ = ["compared", "is_comparing", "reads_a_size"]
