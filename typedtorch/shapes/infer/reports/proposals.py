"""What is proposed where an operator refuses its operands: only what makes the program right.

A rule sees two shapes or dtypes and knows what would make them fit.  Here the program around them is known,
too: the order of the arguments, where an operand comes from, and what is done with the result.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from itertools import combinations

from typedtorch.shapes.dtypes import FLOATING, INTEGRAL
from typedtorch.shapes.dtypes import show as show_dtype
from typedtorch.shapes.infer.frame import Frame, callable_on, source
from typedtorch.shapes.infer.reports.numpy_words import worded
from typedtorch.shapes.infer.reports.other_results import body_of, last_given, other_result
from typedtorch.shapes.infer.reports.repairs import tried
from typedtorch.shapes.infer.reports.trials import holds, holds_with
from typedtorch.shapes.infer.values.values import UNKNOWN, Tensor, Value
from typedtorch.shapes.rule import Function
from typedtorch.shapes.rule import call as call_rule
from typedtorch.shapes.syntax import walk
from typedtorch.shapes.tensor import ShapeError, show


@dataclass(frozen=True, slots=True)
class Applied:
    """An operator with the operands that it was given, and where the program says so."""

    function: Function
    given: tuple[Value, ...]
    named: dict[str, Value]
    node: ast.AST
    nodes: tuple[ast.expr | None, ...]


def proposed(frame: Frame, applied: Applied, error: ShapeError) -> str | None:
    """The hint of a refusal, or a better one; None where following it would leave the program wrong."""
    hint = error.hint
    if frame.reporter.trial or frame.reporter.muted:
        return hint
    if error.code == "dtype":
        hint = (
            _other_order(applied)
            or _needless_cast(frame, applied, hint)
            or other_result(frame, applied.nodes, applied.given, hint)
            or _index(frame, applied, error)
        )
    elif (better := _without_last_axis(applied, hint)) and holds(frame, better, applied.node, applied.nodes):
        return better
    hint = callable_on(hint, applied.nodes)
    if hint is None or _turned_twice(hint, applied) or _fits_the_wrong_one(frame, hint, applied):
        return None
    if _fits_in_other_order(frame, applied):
        return None
    hint = worded(hint, _listed(applied.given))
    return hint if hint is None or holds(frame, hint, applied.node, applied.nodes) else None


def _fits_in_other_order(frame: Frame, applied: Applied) -> bool:
    """``v @ a`` where ``a`` is square: whether to turn one of them or to exchange them cannot be told."""
    node, tensors = applied.node, [v for v in applied.given if isinstance(v, Tensor) and len(v.shape) > 1]
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.MatMult) or len(tensors) != 2:
        return False
    first, second = (tensor.shape for tensor in tensors)
    other = ast.copy_location(ast.BinOp(node.right, node.op, node.left), node)
    return first[-2] == second[-1] and holds_with(frame, node, node, other)


def _listed(values: tuple[Value, ...]) -> list[Value]:
    """Operands, also those that are given as a list."""
    return [part for value in values for part in (value if isinstance(value, (list, tuple)) else (value,))]


def _without_last_axis(applied: Applied, hint: str | None) -> str | None:
    """``(b, t, 1)`` with ``(b, t)``: the axis of size 1 was left over, and not left out of the other one."""
    if hint is None or ".unsqueeze(-1) is " not in hint:
        return None
    pairs = [(v, n) for v, n in zip(applied.given, applied.nodes, strict=False) if isinstance(v, Tensor)]
    if len(pairs) != 2:
        return None
    (larger, node), (smaller, _) = sorted(pairs, key=lambda pair: -len(pair[0].shape))
    if node is None or not smaller.shape or larger.shape != (*smaller.shape, 1):
        return None
    shown = show(smaller.shape)
    return callable_on(f"{source(node, 40)}.squeeze(-1) is {shown}, which fits", [node])


def _other_order(applied: Applied) -> str | None:
    """Two arguments that fit the other way round: ``cross_entropy(labels, logits)``."""
    call = applied.node
    if not isinstance(call, ast.Call):
        return None
    places = {
        i: call.args.index(node)
        for i, (node, value) in enumerate(zip(applied.nodes, applied.given, strict=False))
        if node is not None and node in call.args and isinstance(value, Tensor)
    }
    found = [(i, j) for i, j in combinations(places, 2) if _accepted(applied, i, j)]
    if len(found) != 1:
        return None
    first, second = (places[i] + 1 for i in found[0])
    return f"arguments {first} and {second} fit the other way round"


def _accepted(applied: Applied, i: int, j: int) -> bool:
    values = list(applied.given)
    values[i], values[j] = values[j], values[i]
    try:
        return call_rule(applied.function, tuple(values), applied.named) is not UNKNOWN
    except ShapeError:
        return False


_CASTS = {"float": INTEGRAL, "double": INTEGRAL, "half": INTEGRAL, "bfloat16": INTEGRAL, "long": FLOATING}


def _needless_cast(frame: Frame, applied: Applied, hint: str | None) -> str | None:
    """Of ``labels.float()`` where integers are wanted: the cast is what is too much."""
    for node in applied.nodes:
        match node:
            case ast.Call(func=ast.Attribute(value=inner, attr=cast), args=[], keywords=[]) if cast in _CASTS:
                value = tried(frame, inner)
                asked = hint is not None and f"{source(node, 40)}.{_BACK[_CASTS[cast]]}" in hint
                if asked and isinstance(value, Tensor) and not value.dtype & ~_CASTS[cast]:
                    return f"leave out .{cast}(): {source(inner, 40)} is {show_dtype(value.dtype)}"
    return None


_BACK = {INTEGRAL: "long()", FLOATING: "float()"}


def _index(frame: Frame, applied: Applied, error: ShapeError) -> str | None:
    """The hint of a dtype; floats are not cast to indices, but where they are whole numbers.

    What was meant is another result, a division without rest, or to round first: ``scores.long()`` runs, and
    is wrong.
    """
    for node, value in zip(applied.nodes, applied.given, strict=False):
        if node is None or not isinstance(value, Tensor) or value.dtype & ~FLOATING:
            continue
        if error.hint != f"use {source(node, 40)}.long()" or "class indices" in error.message:
            continue
        match last_given(frame, node) if isinstance(node, ast.Name) else node:
            case ast.BinOp(left=left, op=ast.Div(), right=right) if _are_whole(frame, left, right):
                return f"{source(ast.BinOp(left, ast.FloorDiv(), right), 40)} divides whole numbers"
            case ast.BinOp(op=ast.FloorDiv()):
                return error.hint
            case ast.Call(func=ast.Attribute(attr=name)) if name in _WHOLE:
                return error.hint
        return None
    return error.hint


_WHOLE = ("floor", "ceil", "round", "trunc", "floor_divide", "float", "double", "half")


def _are_whole(frame: Frame, *nodes: ast.expr) -> bool:
    """Whether the values of all are whole numbers."""
    values = (tried(frame, node) for node in nodes)
    return all(type(v) is int or (isinstance(v, Tensor) and not v.dtype & ~INTEGRAL) for v in values)


_TURNS = ("transpose", "permute", "swapaxes", "movedim", "moveaxis")


def _turned_twice(hint: str, applied: Applied) -> bool:
    """``x.transpose(1, 2).transpose(0, 1)``: it is the first of the two that is wrong."""
    for node in applied.nodes:
        match node:
            case ast.Call(func=ast.Attribute(attr=name)) if name in _TURNS:
                text = source(node, 40)
                if any(f"{text}.{turn}" in hint for turn in (*_TURNS, "T", "mT")):
                    return True
    return False


def _fits_the_wrong_one(frame: Frame, hint: str, applied: Applied) -> bool:
    """An axis of size 1 for the smaller of two operands, where it is the size or the larger that is wrong."""
    if ".unsqueeze(" not in hint or not hint.endswith("which fits"):
        return False
    node = applied.node
    if isinstance(node, ast.AugAssign) or (_changes_in_place(node) and _is_smaller(applied, 0)):
        return _is_smaller(applied, 0)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)) and _is_smaller(applied, 0):
        return True  # what is added to is what has the axes
    smaller = applied.nodes[0 if _is_smaller(applied, 0) else 1]
    return smaller is not None and _asks_for_a_size(frame, smaller)


def _changes_in_place(node: ast.AST) -> bool:
    name = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
    return name.endswith("_") and not name.endswith("__")


def _is_smaller(applied: Applied, place: int) -> bool:
    ranks = [len(value.shape) for value in applied.given if isinstance(value, Tensor)]
    return len(ranks) > 1 and ranks[place] < max(ranks)


def _asks_for_a_size(frame: Frame, operand: ast.expr) -> bool:
    """Whether an operand is as long as some axis that is written in it, or where its variables are bound."""
    if _reads_a_size(operand):
        return True
    names = {node.id for node in walk(operand) if isinstance(node, ast.Name)}
    return any(
        isinstance(node, ast.Assign)
        and any(isinstance(t, ast.Name) and t.id in names for t in node.targets)
        and _reads_a_size(node.value)
        for node in walk(body_of(frame))
    )


def _reads_a_size(node: ast.expr) -> bool:
    """``torch.arange(x.shape[0])``, ``table[:x.size(1)]``."""
    counted: list[ast.expr] = []
    for part in walk(node):
        match part:
            case ast.Call(func=ast.Attribute(attr="arange" | "linspace"), args=args):
                counted.extend(args)
            case ast.Slice(upper=ast.expr() as upper):
                counted.append(upper)
    return any(map(_is_a_size, counted))


def _is_a_size(node: ast.expr) -> bool:
    for part in walk(node):
        match part:
            case ast.Subscript(value=ast.Attribute(attr="shape")):
                return True
            case ast.Call(func=ast.Attribute(attr="size"), args=[_]):
                return True
    return False


__all__ = ["Applied", "proposed"]
