"""Where values are put beside others: in attributes, in items, in what is displayed or filled.

mypy takes the type of what is there already for that of all that may be put there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from typedtorch.shapes.doubtful_names import COMBINES
from typedtorch.shapes.module_uses import FILLS, Position, position
from typedtorch.shapes.syntax import Syntax, dotted, walk

Part = tuple[int, ...]  # where in a result: ``(1,)`` of ``_, h``, and ``(1, 0)`` of ``_, (h, c)``

OTHER_METHODS = frozenset(
    {"tolist", "item", "numpy", "size", "dim", "stride", "data_ptr", "items", "keys", "values", "get", "pop"}
    | {"split", "tensor_split", "unsafe_split", "chunk", "unsafe_chunk", "unbind"}
    | {"topk", "sort", "max", "min", "mode", "median", "kthvalue", "aminmax"}
)
_OTHER_FUNCTIONS = frozenset(
    {"list", "tuple", "dict", "set", "zip", "map", "filter", "sorted", "enumerate", "range", "iter", "next"}
    | {"len", "int", "float", "bool", "str", "sum", "max", "min", "getattr", "partial"}
    | {"split", "chunk", "unbind", "meshgrid", "topk", "sort"}
)


HOLDERS = frozenset(
    {ast.Assign, ast.List, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp, ast.Call}
)


# Of ``FILLS``, methods that are told first where to put it.
_AFTER_KEY = frozenset({"insert", "setdefault"})


# What makes a list or dict of what it is given.
_MADE = frozenset({"list", "dict", "set", "deque", "Counter", "OrderedDict", "defaultdict"})


class Item(ast.Subscript):
    """One of the values that a call's result is unpacked into."""

    parts: dict[str, Part]  # where each name stands


class Rest(Item):
    """One of them where a starred name takes a list of the rest: it is no tensor, and moves the places."""


def tensor_like(value: ast.expr | None) -> bool:
    """Whether an expression looks like one tensor, as far as the eye can see."""
    match value:
        case Rest():
            return False
        case ast.Call(func=ast.Attribute(attr=name)):
            return name not in OTHER_METHODS
        case ast.Call(func=ast.Name(id=name)):
            return name not in _OTHER_FUNCTIONS and not name[0].isupper()
        case (
            ast.Call()
            | ast.BinOp()
            | ast.UnaryOp()
            | ast.Name()
            | ast.Subscript()
            | ast.Attribute()
            | ast.Await()
        ):
            return True
        case ast.IfExp(body=a, orelse=b):
            return tensor_like(a) and tensor_like(b)
        case ast.NamedExpr(value=inner):
            return tensor_like(inner)
    return False


def stored_values(node: ast.AST) -> Iterator[ast.expr]:
    """Values put where things of other types may be put too: attributes, items, displays of several kinds."""
    match node:
        case ast.Assign(targets=targets, value=value):
            if any(isinstance(n, ast.Attribute | ast.Subscript) for t in targets for n in _leaves(t)):
                yield value
        case ast.List(elts=values, ctx=ast.Load()) | ast.Set(elts=values) | ast.Dict(values=values):
            if not all(map(tensor_like, values)):
                yield from values


def displayed(value: ast.expr | None) -> list[ast.expr]:
    """What a list or dict holds that a name is bound to: more may be added to it later."""
    match value:
        case ast.List(elts=values) | ast.Set(elts=values) | ast.Dict(values=values):
            return values
    return []


def cast_values(node: ast.AST) -> Iterator[ast.expr]:
    """What ``typing.cast`` is applied to: a program says there what it means, and need not say it twice."""
    match node:
        case ast.Call(func=ast.Name(id="cast") | ast.Attribute(attr="cast"), args=[_, value]):
            yield value


def cast_places(syntax: Syntax) -> frozenset[Position]:
    """Each expression that is given to ``typing.cast``."""
    return frozenset(position(value) for node in syntax.nodes for value in cast_values(node))


def collected(node: ast.AST) -> Iterator[ast.expr]:
    """Values whose type mypy takes for that of the whole collection."""
    match node:
        case ast.List(elts=values, ctx=ast.Load()) | ast.Set(elts=values) | ast.Dict(values=values):
            yield from values
        case ast.ListComp(elt=value) | ast.SetComp(elt=value) | ast.DictComp(value=value):
            yield value
        case ast.Call() if _fills(node):
            yield from _given(node)
        case ast.Call(func=ast.Name(id=name), args=arguments) if name in COMBINES:
            yield from (part for each in arguments for part in walk(each) if isinstance(part, ast.Call))
        case ast.Call(func=ast.Name(id="dict" | "OrderedDict"), keywords=keywords):
            yield from (keyword.value for keyword in keywords)


def filling(nodes: list[ast.AST], bound: Mapping[str, Sequence[ast.expr | None]]) -> Iterator[ast.expr]:
    """What is put by another name into a list or dict that was made with other things in it.

    Into an empty one any first thing may be put: it is no matter while tensors follow tensors.
    """
    puts: dict[str, list[ast.expr]] = {}
    for node in nodes:
        if isinstance(node, ast.Call) and _fills(node):
            first = node.args[0] if node.args else None
            for held in (node.func.value if isinstance(node.func, ast.Attribute) else None, first):
                if isinstance(held, ast.Name) and any(map(_is_made, bound.get(held.id, ()))):
                    puts.setdefault(held.id, []).extend(a for a in _given(node) if a is not held)
    for name, values in puts.items():
        if any(map(_holds_some, bound[name])) or not all(map(tensor_like, values)):
            yield from values


def filled(nodes: list[ast.AST]) -> Iterator[tuple[str, ast.expr]]:
    """What is put into what a name holds, or into a part of that: as an item, or by a method that fills.

    >>> text = "out['n'] = 1\\nout['a'].insert(0, 2)\\nout.update(b=3)\\nout = 4"
    >>> [(name, ast.unparse(value)) for name, value in filled(list(ast.walk(ast.parse(text))))]
    [('out', '1'), ('out', '2'), ('out', '3')]
    """
    for node in nodes:
        match node:
            case ast.Assign(targets=targets, value=value):
                leaves = [leaf for target in targets for leaf in _leaves(target)]
                into, values = [leaf.value for leaf in leaves if isinstance(leaf, ast.Subscript)], [value]
            case ast.Call(func=ast.Attribute(value=held, attr=name)) if name in FILLS:
                into, values = [held], list(_given(node))[name in _AFTER_KEY :]
            case _:
                continue
        for part in into:
            whole = part
            while isinstance(whole, ast.Subscript):
                whole = whole.value
            if isinstance(whole, ast.Name):
                yield from ((whole.id, value) for value in values)


def _is_made(value: ast.expr | None) -> bool:
    """Whether an expression makes a list or dict."""
    return _holds_some(value) or isinstance(value, ast.List | ast.Set | ast.Dict)


def _holds_some(value: ast.expr | None) -> bool:
    """Whether it makes one that says what it holds: ``[0.0]``, ``[0.0] * 3``, ``dict(best=0.0)``."""
    match value:
        case ast.BinOp(left=left, op=ast.Mult()):
            return _holds_some(left)
        case ast.Call(func=function, args=arguments, keywords=keywords):
            made = (dotted(function) or "").rpartition(".")[2]
            return made in _MADE and bool(arguments or keywords)
        case ast.ListComp() | ast.SetComp() | ast.DictComp():
            return True
    return bool(displayed(value))


def _fills(call: ast.Call) -> bool:
    match call.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name in FILLS
    return False


def _given(call: ast.Call) -> Iterator[ast.expr]:
    """What a call puts somewhere, taken out of a dict or list that it stands in."""
    for value in (*call.args, *(keyword.value for keyword in call.keywords)):
        yield from displayed(value) or [value]


def _leaves(target: ast.expr) -> Iterator[ast.expr]:
    if isinstance(target, ast.Tuple | ast.List):
        for element in target.elts:
            yield from _leaves(element)
    else:
        yield target


def calls(value: ast.expr) -> Iterator[ast.Call]:
    """The calls whose results make up the value: not those among another call's arguments."""
    if isinstance(value, ast.Call):
        yield value
        yield from calls(value.func)
    for part in _parts(value):
        yield from calls(part)


def result_names(value: ast.expr) -> Iterator[str]:
    """The names whose values, or parts or methods of them, make up the value."""
    match value:
        case ast.Name(id=name):
            yield name
        case ast.Call(func=ast.Attribute(value=inner)):
            yield from result_names(inner)
    for part in _parts(value):
        yield from result_names(part)


def _parts(value: ast.expr) -> Sequence[ast.expr]:
    """The operands of an operator, the items of a tuple, what an attribute or an item is of."""
    match value:
        case (
            ast.Attribute(value=inner)
            | ast.Subscript(value=inner)
            | ast.Starred(value=inner)
            | ast.Await(value=inner)
            | ast.UnaryOp(operand=inner)
            | ast.NamedExpr(value=inner)
        ):
            return [inner]
        case ast.BinOp(left=a, right=b) | ast.IfExp(body=a, orelse=b):
            return [a, b]
        case ast.BoolOp(values=parts) | ast.Tuple(elts=parts):
            return parts
        case ast.Compare(left=left, comparators=others):
            return [left, *others]
    return []
