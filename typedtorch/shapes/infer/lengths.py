"""How many items a list has, where that is a size: one for each row, for each step of a range.

``torch.stack([f(x[:, t]) for t in range(time)])`` has ``time`` as its first axis, and so has a list to
which a loop appends once in every turn.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from typedtorch.shapes.equality import same
from typedtorch.shapes.infer.state import State
from typedtorch.shapes.infer.values import UNKNOWN, Tensor, Value, join_all
from typedtorch.shapes.infer.values import Sequence as SequenceV
from typedtorch.shapes.size import Size, atoms, axis, is_unknown, unknown
from typedtorch.shapes.tensor import Entry, Pack

LENGTH_SCOPE = "len "  # and the name of a list that was passed: how many items it has
COUNTS = (2, 3, 4)  # numbers of items for which an operator is tried, to see how its result grows


def of_passed(name: str) -> Size:
    """The number of items of a list that was passed under a name."""
    return axis(f"len({name})", LENGTH_SCOPE + name)


def counts_items(size: Size) -> bool:
    """Whether a size says how many items a list has that was passed."""
    return any(atom.scope.startswith(LENGTH_SCOPE) for atom in atoms(size))


def length_of(value: Value) -> Size | None:
    """The number of items of something iterable, where it is known as a size."""
    if isinstance(value, Tensor):
        first = value.shape[0] if value.shape else None
        return None if first is None or isinstance(first, Pack) or is_unknown(first) else first
    if isinstance(value, SequenceV):
        return value.length if value.items is None else len(value.items)
    if isinstance(value, tuple):
        return None if any(isinstance(v, Pack) for v in value) else len(value)
    return None


def common(values: Sequence[Value]) -> Size | None:
    """What ``zip`` and ``map`` give of several: the number that all of them have."""
    lengths = [length_of(value) for value in values]
    first = lengths[0] if lengths else None
    if first is None or any(length is None or same(first, length) is not True for length in lengths):
        return None
    return first


def for_several(results: Sequence[Value], lists: Sequence[Value], key: str) -> Value:
    """What an operator gives, of its results for 2, 3 and 4 items of the only one of several ``lists``."""
    length = lists[0].length if len(lists) == 1 and isinstance(lists[0], SequenceV) else None
    return join_all(list(results), key) if length is None else _at_length(results, length, key)


def _at_length(results: Sequence[Value], length: Size, key: str) -> Value:
    tensors = [made for made in results if isinstance(made, Tensor)]
    joined = join_all(list(results), key)
    if len(tensors) != len(COUNTS) or not isinstance(joined, Tensor):
        return joined
    if any(len(made.shape) != len(joined.shape) for made in tensors):
        return joined
    entries = zip(joined.shape, *(made.shape for made in tensors), strict=True)
    shape = tuple(_grown(entry, found, length) for entry, *found in entries)
    return joined if shape == joined.shape else replace(joined, shape=shape, layout=None)


def _grown(joined: Entry, found: Sequence[Entry], length: Size) -> Entry:
    sizes = [size for size in found if not isinstance(size, Pack) and not is_unknown(size)]
    if isinstance(joined, Pack) or len(sizes) < len(found):
        return joined
    two, three, four = sizes
    step = three - two
    return two + step * (length - 2) if step == four - three else joined


def filled(before: State, after: State, loop: ast.For | ast.AsyncFor, turns: Size) -> None:
    """Lists that were empty before a loop, and to which its body appends once, have an item for each turn."""
    if any(isinstance(n, (ast.Break, ast.Continue)) for n in _own_statements(loop.body)):
        return
    for name, value in before.variables.items():
        if not isinstance(value, SequenceV) or value.kind != "list" or value.items != ():
            continue
        now = after.variables.get(name)
        if isinstance(now, SequenceV) and now.items is None and _appends_once(loop.body, name):
            after.replace_value(now, replace(now, length=turns))


def _own_statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a loop, but for those of loops and functions in it."""
    for statement in body:
        yield statement
        if not isinstance(statement, (ast.For, ast.AsyncFor, ast.While, ast.FunctionDef, ast.ClassDef)):
            for part in ("body", "orelse", "finalbody"):
                yield from _own_statements(getattr(statement, part, []))
            for handler in [*getattr(statement, "handlers", []), *getattr(statement, "cases", [])]:
                yield from _own_statements(handler.body)


def _appends_once(body: Sequence[ast.stmt], name: str) -> bool:
    """Whether each turn certainly appends one item, and does nothing else to the list."""
    mentioned = [n for s in body for n in ast.walk(s) if isinstance(n, ast.Name) and n.id == name]
    read = [n for s in body for n in ast.walk(s) if _reads(n, name)]
    appending = [count for s in _certain(body) if (count := _appends(s, name))]
    return len(appending) == 1 and len(mentioned) == appending[0] + len(read)


def _reads(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Subscript(value=ast.Name(id=read), ctx=ast.Load()):
            return read == name
    return False


def _certain(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        yield statement
        if isinstance(statement, (ast.With, ast.AsyncWith)):
            yield from _certain(statement.body)


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


__all__ = ["COUNTS", "common", "filled", "for_several", "length_of"]


# methods, and functions of torch, that cut a tensor into pieces
CUTS = ("split", "chunk", "unbind")


def pieces(name: str, tensor: Tensor, values: tuple[Value, ...], keywords: Mapping[str, Value]) -> Value:
    """An unknown number of pieces: each is the tensor but for the axis that is cut, or unbound."""
    place = 0 if name == "unbind" else 1
    dim = keywords.get("dim", values[place] if len(values) > place else 0)
    if not isinstance(dim, int) or tensor.rank is None or not -tensor.rank <= dim < tensor.rank:
        return UNKNOWN
    shape, length = list(tensor.shape), None
    if name == "unbind":
        length = length_of(tensor.of((shape.pop(dim),)))
    else:
        shape[dim] = unknown()
    return SequenceV("list", None, tensor.of(shape), length)
