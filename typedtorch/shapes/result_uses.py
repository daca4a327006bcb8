"""Which calls an expression is made from, where mypy says something of it only because it knows their type.

``module(x)`` was Any when a program was written, and so was all that came of it: ``out.argmax().item()``
could be an index, a buffer that mypy takes for ``Tensor | Module`` could be added, and a loss to a total that
starts as ``0.0``.  The type of the call is worth having; what follows from it in these places is not, for
what is annotated or inferred there is wider, or narrower, than the values.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from typedtorch.shapes.call_results import bindings
from typedtorch.shapes.kept_values import calls, result_names
from typedtorch.shapes.module_uses import Position, position
from typedtorch.shapes.syntax import Syntax

Sources = dict[str, frozenset[Position]]
_NONE: frozenset[Position] = frozenset()
_MEETING = frozenset({ast.Call, ast.BinOp, ast.Compare, ast.Subscript, ast.AugAssign})


def result_uses(syntax: Syntax) -> dict[Position, frozenset[Position]]:
    """For each ``.item()``, ``+=``, ``==`` and attribute beside a value: the calls that value is made from.

    >>> text = "def f(self, x):\\n y = self.a(x)\\n z = y.max()\\n return y * self.b, self.c[z.item()]"
    >>> result_uses(Syntax(ast.parse(text)))
    {(4, 12): frozenset({(2, 5)}), (4, 27): frozenset({(2, 5), (3, 5)})}
    """
    found: dict[Position, frozenset[Position]] = {}
    for nodes in syntax.scopes.values():
        meetings = list(_meetings(nodes))
        if not meetings:
            continue
        sources = _sources(nodes)
        for place, others in meetings:
            made_from = _NONE.union(*(_of(other, sources) for other in others))
            if made_from:
                found[position(place)] = found.get(position(place), _NONE) | made_from
    return found


def _meetings(nodes: list[ast.AST]) -> Iterator[tuple[ast.expr, list[ast.expr]]]:
    """An expression, and those on which it depends whether its type is heeded."""
    for node in nodes:
        if type(node) not in _MEETING:
            continue
        match node:
            case ast.Call(func=ast.Attribute(value=tensor, attr="item"), args=[]):
                yield node, [tensor]
            case ast.AugAssign(target=target, value=value):
                yield target, [value]
            case ast.BinOp(left=left, right=ast.Attribute() as right):
                yield right, [left]
            case ast.Compare(left=left, comparators=[ast.Attribute() as right]):
                yield right, [left]
            case ast.Compare(ops=[ast.Eq() | ast.NotEq()], comparators=[right]):
                yield node, [right]
            case ast.Call(func=function, args=arguments):
                for argument in arguments:
                    if isinstance(argument, ast.Attribute):
                        yield argument, [function, *(other for other in arguments if other is not argument)]
            case ast.Subscript(value=whole, slice=index):
                for part in index.elts if isinstance(index, ast.Tuple) else [index]:
                    if isinstance(part, ast.Attribute):
                        yield part, [whole]


def _sources(nodes: list[ast.AST]) -> Sources:
    """The calls that the values of each name are made from, however indirectly."""
    sources: dict[str, set[Position]] = {}
    uses: dict[str, set[str]] = {}
    for names, value in bindings(nodes):
        if value is None:
            continue
        for name in names:
            sources.setdefault(name, set()).update(map(position, calls(value)))
            uses.setdefault(name, set()).update(result_names(value))
    found = {}
    for name in sources:
        reached, ahead = {name}, [name]
        while ahead:
            more = uses.get(ahead.pop(), set()) - reached
            reached |= more
            ahead.extend(more)
        found[name] = _NONE.union(*(sources.get(other, _NONE) for other in reached))
    return found


def _of(value: ast.expr, sources: Sources) -> frozenset[Position]:
    names = result_names(value)
    return frozenset(map(position, calls(value))).union(*(sources.get(name, _NONE) for name in names))
