"""Of values and indices, the wrong one: an operand that was made of the other result than was meant."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from typedtorch.shapes.dtypes import FLOATING, INTEGRAL
from typedtorch.shapes.infer.frame import Frame, source
from typedtorch.shapes.infer.reports.repairs import tried
from typedtorch.shapes.infer.values.values import Record, Tensor, Value
from typedtorch.shapes.syntax import walk


def other_result(
    frame: Frame, nodes: Sequence[ast.expr | None], given: Sequence[Value], hint: str | None
) -> str | None:
    """Where ``hint`` would cast values to indices, or indices to values: which result to take instead.

    ``x[scores.topk(k).values]``, and ``indices, values = x.topk(k)``.
    """
    for node, value in zip(nodes, given, strict=False):
        if node is None or hint is None or not isinstance(value, Tensor):
            continue
        text = source(node, 40)
        if f"{text}.long()" in hint and not value.dtype & ~FLOATING:
            return _for_indices(frame, node)
        if f"{text}.float()" in hint and not value.dtype & ~INTEGRAL:
            return _for_values(frame, node)
    return None


def _for_indices(frame: Frame, node: ast.expr) -> str | None:
    for part in _made_of(frame, node):
        match part:
            case ast.Attribute(value=ast.Call() as call, attr="values"):
                if _gives_values_and_indices(frame, call):
                    return f"use {source(call, 40)}.indices, not .values"
            case ast.Name(id=name):
                pair = _pair_before(frame, part)
                if pair is not None and pair[0] == name:
                    return _swapped(frame, pair)
    return None


def _for_values(frame: Frame, node: ast.expr) -> str | None:
    pair = _pair_before(frame, node) if isinstance(node, ast.Name) else None
    if pair is None or not isinstance(node, ast.Name) or pair[1] != node.id:
        return None
    return _swapped(frame, pair)


def _swapped(frame: Frame, pair: tuple[str, str, ast.Call]) -> str | None:
    first, second, call = pair
    if not _gives_values_and_indices(frame, call):
        return None
    return f"{source(call.func, 40)} gives values, then indices: {second}, {first} = ..."


def _made_of(frame: Frame, node: ast.expr) -> Iterator[ast.expr]:
    """An expression, what its methods and divisions are applied to, and what its names were last given."""
    yield node
    parts: list[ast.expr] = []
    match node:
        case ast.Name():
            made = last_given(frame, node)
            parts = [] if made is None else [made]
        case ast.BinOp(left=left, op=ast.FloorDiv() | ast.Mod()):
            parts = [left]  # the row and the column of a flat index
        case ast.Call(func=ast.Attribute(value=inner)) | ast.Subscript(value=inner):
            parts = [inner]
        case ast.Attribute(value=inner) | ast.UnaryOp(operand=inner):
            parts = [inner]
    for part in parts:
        yield from _made_of(frame, part)


def last_given(frame: Frame, name: ast.Name) -> ast.expr | None:
    """What was last assigned to a name above it, if it alone was; one of ``a, b = c, d``."""
    last: ast.expr | None = None
    for node in walk(body_of(frame)):
        if isinstance(node, ast.Assign) and node.lineno < name.lineno:
            for target, value in _pairs(node):
                if any(isinstance(n, ast.Name) and n.id == name.id for n in walk(target)):
                    last = value if isinstance(target, ast.Name) else None
    return last


def _pairs(node: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    for target in node.targets:
        match target, node.value:
            case ast.Tuple(elts=names), ast.Tuple(elts=values) if len(names) == len(values):
                yield from zip(names, values, strict=True)
            case _:
                yield target, node.value


def _pair_before(frame: Frame, name: ast.Name) -> tuple[str, str, ast.Call] | None:
    """The last ``a, b = f(...)`` above a name that binds it, if that is what bound it last."""
    last: tuple[str, str, ast.Call] | None = None
    for node in walk(body_of(frame)):
        if not isinstance(node, ast.Assign) or node.lineno >= name.lineno:
            continue
        match node:
            case ast.Assign(
                targets=[ast.Tuple(elts=[ast.Name(id=a), ast.Name(id=b)])], value=ast.Call() as call
            ):
                last = (a, b, call) if name.id in (a, b) else last
            case _ if any(isinstance(n, ast.Name) and n.id == name.id for t in node.targets for n in walk(t)):
                last = None
    return last


def body_of(frame: Frame) -> ast.AST:
    """The function that is run, or the module."""
    return frame.module.tree if frame.function is None else frame.function.node


def _gives_values_and_indices(frame: Frame, call: ast.Call) -> bool:
    value = tried(frame, call)
    return isinstance(value, Record) and value.names == ("values", "indices")


__all__ = ["body_of", "last_given", "other_result"]
