"""Lists that a loop fills: as many items as there were before it, and those of each turn.

``xs = [x0]; for u in us: xs.append(step(xs[-1], u))`` has one item more than ``us``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from typedtorch.shapes.infer.containers.grown import Grown, begun, grown
from typedtorch.shapes.infer.containers.lengths import length_of
from typedtorch.shapes.infer.values.state import State
from typedtorch.shapes.infer.values.values import Sequence as SequenceV
from typedtorch.shapes.infer.values.values import Value, join
from typedtorch.shapes.size import Size
from typedtorch.shapes.syntax import walk


def filled(before: State, after: State, loop: ast.For | ast.AsyncFor, turns: Size) -> None:
    """Note how many items the lists have to which each turn of a loop adds some."""
    if any(isinstance(n, (ast.Break, ast.Continue)) for n in _own_statements(loop.body)):
        return
    for name, value in before.variables.items():
        if not isinstance(value, SequenceV) or value.kind != "list":
            continue
        now, known = after.variables.get(name), length_of(value)
        if known is None or not isinstance(now, SequenceV) or now.items is not None:
            continue
        others = {other for other, held in before.variables.items() if held is value and other != name}
        if any(_mentions(part, other) for other in others for part in loop.body):
            continue
        count = None if any(_mentions(part, name) for part in loop.orelse) else _added(loop.body, name)
        if count:
            after.replace_value(now, replace(now, length=known + count * turns))


def with_more(xs: SequenceV, item: Value, place: str) -> Grown | None:
    """What is known of a list's items with others behind them, for which one stands: at least one."""
    first, later = begun(xs) if xs.kind == "list" else ((), ())
    if later:
        return grown(first, join(later[0], item, f"{place}.later"))
    return grown((*first, item), item) if first else None


def _own_statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a loop, but for those of loops and functions in it."""
    for statement in body:
        yield statement
        if not isinstance(statement, (ast.For, ast.AsyncFor, ast.While, ast.FunctionDef, ast.ClassDef)):
            for part in ("body", "orelse", "finalbody"):
                yield from _own_statements(getattr(statement, part, []))
            for handler in [*getattr(statement, "handlers", []), *getattr(statement, "cases", [])]:
                yield from _own_statements(handler.body)


def _added(body: Sequence[ast.stmt], name: str) -> int | None:
    """How many items statements certainly add to a list, to which they do nothing else; None if not known."""
    total = 0
    for statement in body:
        added = _added_by(statement, name)
        if added is None:
            return None
        total += added
    return total


def _added_by(statement: ast.stmt, name: str) -> int | None:
    if isinstance(statement, (ast.With, ast.AsyncWith)):
        opened = any(_mentions(item, name) for item in statement.items)
        return None if opened else _added(statement.body, name)
    if isinstance(statement, ast.If):
        ways = [way for way in (statement.body, statement.orelse) if not way or not _leaves(way[-1])]
        counts = {_added(way, name) for way in ways}
        return (
            counts.pop()
            if len(counts) == 1 and _mentions(statement.test, name) == _reads(statement.test, name)
            else None
        )
    named = _appends(statement, name)
    return int(named > 0) if _mentions(statement, name) == named + _reads(statement, name) else None


def _leaves(statement: ast.stmt) -> bool:
    """Whether nothing behind a statement is reached, nor behind the loop that it is in."""
    return isinstance(statement, (ast.Raise, ast.Return))


def _mentions(node: ast.AST, name: str) -> int:
    return sum(isinstance(n, ast.Name) and n.id == name for n in walk(node))


def _reads(node: ast.AST, name: str) -> int:
    """How often a list stays as long as it is: an item is read or replaced, all are put into a tensor."""
    return sum(_is_read(n, name) for n in walk(node))


def _is_read(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Subscript(value=ast.Name(id=read), ctx=ast.Load()):
            return read == name
        case ast.Subscript(value=ast.Name(id=read), slice=place, ctx=ast.Store()):
            return read == name and not isinstance(place, ast.Slice)
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=read)]):
            return read == name
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch")), args=[ast.Name(id=read), *_]):
            return read == name
    return False


def _appends(statement: ast.stmt, name: str) -> int:
    """How often a statement that gives a list one item more names it; 0 for any other."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=xs), attr=("append" | "insert")))):
            return int(xs == name)
        case ast.AugAssign(target=ast.Name(id=xs), op=ast.Add(), value=ast.List(elts=[one])):
            return int(xs == name and not isinstance(one, ast.Starred))
        case ast.Assign(
            targets=[ast.Name(id=xs)],
            value=(
                ast.BinOp(ast.List(elts=[one]), ast.Add(), ast.Name(id=ys))
                | ast.BinOp(ast.Name(id=ys), ast.Add(), ast.List(elts=[one]))
                | ast.List(
                    elts=[ast.Starred(value=ast.Name(id=ys)), one] | [one, ast.Starred(value=ast.Name(id=ys))]
                )
            ),
        ):
            return 2 if xs == ys == name and not isinstance(one, ast.Starred) else 0
    return 0


__all__ = ["filled", "with_more"]
