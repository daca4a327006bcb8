"""Where an expression of a source comes from, asked where mypy finds something wrong with it.

More is said to be made from a call than need be: what a call's result is given to counts as made from it,
unless that is a function of torch, whose result has a type whatever it is given.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from typedtorch.shapes.module_uses import Position, position
from typedtorch.shapes.syntax import Syntax, walk

_BINDERS = frozenset(
    {ast.Assign, ast.AnnAssign, ast.AugAssign, ast.NamedExpr, ast.For, ast.AsyncFor}
    | {ast.comprehension, ast.withitem}
)


class Span(NamedTuple):
    """Where an expression starts and ends."""

    line: int
    column: int
    end_line: int
    end_column: int

    @classmethod
    def of(cls, node: ast.expr) -> Span:
        return cls(
            node.lineno,
            node.col_offset,
            node.end_lineno or node.lineno,
            node.end_col_offset or node.col_offset,
        )


def at(span: Span, syntax: Syntax) -> ast.expr | None:
    """The outermost expression that stands there."""
    return _index(syntax).standing.get(span)


def call_with(argument: ast.expr, syntax: Syntax) -> ast.Call | None:
    """The call that an expression is an argument of, be it unpacked there."""
    return _index(syntax).given.get(argument)


class _Index(NamedTuple):
    standing: dict[Span, ast.expr]
    given: dict[ast.expr, ast.Call]


@lru_cache(maxsize=1)  # mypy tells what it finds file by file
def _index(syntax: Syntax) -> _Index:
    index = _Index({}, {})
    for node in syntax.nodes:
        if isinstance(node, ast.expr):
            index.standing.setdefault(Span.of(node), node)
        if isinstance(node, ast.Call):
            for each in [*node.args, *(keyword.value for keyword in node.keywords)]:
                index.given.setdefault(each, node)
                if isinstance(inner := getattr(each, "value", None), ast.expr):
                    index.given.setdefault(inner, node)
    return index


def given_to(call: ast.expr) -> list[ast.expr]:
    """What a call is made of, its arguments and what is called; any other expression is itself."""
    if not isinstance(call, ast.Call):
        return [call]
    return [call.func, *call.args, *(keyword.value for keyword in call.keywords)]


def made_from(value: ast.expr, syntax: Syntax) -> set[Position]:
    """The calls that a value is made from, through names of the functions around it.

    >>> text = "def f(n, x):\\n for a in n(x):\\n  b = a + 1\\n  g(h(b))"
    >>> syntax = Syntax(ast.parse(text))
    >>> sorted(made_from(next(n for n in syntax.nodes if isinstance(n, ast.Call) and n.lineno == 4), syntax))
    [(2, 10), (4, 2), (4, 4)]
    """
    parts: dict[str, list[ast.expr]] = {}
    for scope, nodes in syntax.scopes.items():
        if isinstance(scope, ast.Module) or _covers(scope, value.lineno):
            for target, given in _bound(nodes):
                for name in _names(target):
                    parts.setdefault(name, []).append(given)
    found, reached, ahead = set[Position](), set[str](), [value]
    while ahead:
        for part in _made_of(ahead.pop()):
            if isinstance(part, ast.Call):
                found.add(position(part))
            elif isinstance(part, ast.Name) and part.id not in reached:
                reached.add(part.id)
                ahead.extend(parts.get(part.id, ()))
    return found


def _made_of(value: ast.AST) -> Iterator[ast.AST]:
    """A value and the parts that its type may come from."""
    yield value
    typed = isinstance(value, ast.Call) and _TORCH.match(ast.unparse(value.func))
    for part in () if typed else ast.iter_child_nodes(value):
        yield from _made_of(part)


_TORCH = re.compile(r"(?:torch|F)\.[\w.]+$")


def _covers(scope: ast.AST, line: int) -> bool:
    first, last = getattr(scope, "lineno", 0), getattr(scope, "end_lineno", 0)
    return bool(first <= line <= last)


def _names(node: ast.AST) -> Iterator[str]:
    return (part.id for part in walk(node) if isinstance(part, ast.Name))


def _bound(nodes: list[ast.AST]) -> Iterator[tuple[ast.expr, ast.expr]]:
    for node in nodes:
        if type(node) not in _BINDERS:
            continue
        match node:
            case ast.Assign(targets=targets, value=value):
                yield from ((target, value) for target in targets)
            case (
                ast.AnnAssign(target=target, value=ast.expr() as value)
                | ast.AugAssign(target=target, value=value)
                | ast.NamedExpr(target=target, value=value)
                | ast.For(target=target, iter=value)
                | ast.AsyncFor(target=target, iter=value)
                | ast.comprehension(target=target, iter=value)
                | ast.withitem(optional_vars=ast.expr() as target, context_expr=value)
            ):
                yield target, value
