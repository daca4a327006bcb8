"""Faults as edits of one node of the syntax tree, and the helpers that mutators are written in.

A mutator takes a node and yields what could stand there by mistake.  ``mutants(text)`` applies them all
everywhere.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Mutator = Callable[[ast.AST], Iterator[ast.AST]]
MUTATORS: dict[str, Mutator] = {}


@dataclass(frozen=True)
class Mutant:
    """A program with one fault: its kind, text, and the name of the function that holds it."""

    kind: str
    text: str
    scope: tuple[str, ...]
    was: str
    now: str


def mutator(kind: str) -> Callable[[Mutator], Mutator]:
    """Register a mutator under the kind of fault it plants."""

    def register(function: Mutator) -> Mutator:
        assert kind not in MUTATORS, f"two mutators for {kind}"
        MUTATORS[kind] = function
        return function

    return register


def mutants(text: str) -> Iterator[Mutant]:
    """Every program that differs from ``text`` by one fault inside a function."""
    tree = ast.parse(text)
    seen: set[str] = set()
    for scope, node in _nodes(tree, ()):
        for kind, mutate in MUTATORS.items():
            for new in mutate(node):
                changed = _replace(text, node, new)
                if changed is not None and changed not in seen:
                    seen.add(changed)
                    yield Mutant(kind, changed, scope, ast.unparse(node), ast.unparse(new))


def _nodes(node: ast.AST, scope: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], ast.AST]]:
    for child in ast.iter_child_nodes(node):
        inner = scope
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = (*scope, child.name)
        elif scope:
            yield scope, child
        yield from _nodes(child, inner)


def _replace(text: str, node: ast.AST, new: ast.AST) -> str | None:
    assert isinstance(node, ast.expr | ast.arg | ast.stmt)
    segment = ast.get_source_segment(text, node)
    if segment is None:
        return None
    lines = text.splitlines(keepends=True)
    start = sum(len(line.encode()) for line in lines[: node.lineno - 1]) + node.col_offset
    written = ast.unparse(new)
    if isinstance(new, ast.BinOp | ast.UnaryOp | ast.Compare | ast.IfExp | ast.BoolOp | ast.Lambda):
        written = f"({written})"
    raw = text.encode()
    out = (raw[:start] + written.encode() + raw[start + len(segment.encode()) :]).decode()
    try:
        ast.parse(out)
    except SyntaxError:
        return None
    return out


# Small helpers the mutators are written in.


def called(node: ast.AST, names: set[str] | None = None) -> ast.Call | None:
    """The node as a call of one of ``names`` (by its last part)."""
    if not isinstance(node, ast.Call):
        return None
    return node if names is None or last(node.func) in names else None


def method(node: ast.AST, names: set[str]) -> ast.Call | None:
    call = called(node, names)
    return call if call and isinstance(call.func, ast.Attribute) and not is_module(call.func.value) else None


def receiver(call: ast.Call) -> ast.expr:
    assert isinstance(call.func, ast.Attribute)
    return call.func.value


def is_module(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in {"torch", "F", "nn", "np", "math", "optim", "einops"}


def last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def literal(node: ast.AST) -> int | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = literal(node.operand)
        return None if inner is None else -inner
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def dim_of(call: ast.Call) -> tuple[list[int | str], int | None]:
    """Where a call says its dim (a position or a keyword), and the value there."""
    for keyword in call.keywords:
        if keyword.arg == "dim":
            return [keyword.arg], literal(keyword.value)
    last = len(call.args) - 1
    return ([last], literal(call.args[last])) if call.args else ([], None)


def with_value(call: ast.Call, where: int | str, value: ast.expr) -> ast.Call:
    new = copy.deepcopy(call)
    if isinstance(where, int):
        new.args[where] = value
    else:
        next(k for k in new.keywords if k.arg == where).value = value
    return new


def other_dims(value: int) -> list[int]:
    return [1, 0] if value == 2 else [value + 1, value - 1] if value else [1]


def redimension(call: ast.Call | None) -> Iterator[ast.AST]:
    if call is None:
        return
    where, value = dim_of(call)
    if where and value is not None:
        for other in other_dims(value):
            yield with_value(call, where[0], ast.Constant(other))


def swapped(items: list[ast.expr]) -> Iterator[list[ast.expr]]:
    for i in range(len(items) - 1):
        if ast.dump(items[i]) != ast.dump(items[i + 1]) and not isinstance(items[i + 1], ast.Starred):
            yield [*items[:i], items[i + 1], items[i], *items[i + 2 :]]


def swap_arguments(call: ast.Call | None) -> Iterator[ast.Call]:
    if call is not None and not any(isinstance(a, ast.Starred) for a in call.args):
        for args in swapped(call.args):
            yield ast.Call(call.func, args, call.keywords)
