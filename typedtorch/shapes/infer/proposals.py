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
from typedtorch.shapes.infer.repairs import tried
from typedtorch.shapes.infer.trials import holds
from typedtorch.shapes.infer.values import UNKNOWN, Record, Tensor, Value
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
            or _other_item(frame, applied)
            or _unpacked(frame, applied, error.message)
            or hint
        )
    elif (better := _without_last_axis(applied, hint)) and holds(frame, better, applied.node, applied.nodes):
        return better
    hint = callable_on(hint, applied.nodes)
    if hint is None or _turned_twice(hint, applied) or _fits_the_wrong_one(frame, hint, applied):
        return None
    return hint if holds(frame, hint, applied.node, applied.nodes) else None


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


def _other_item(frame: Frame, applied: Applied) -> str | None:
    """``x[scores.topk(k).values]``, also by way of a variable: it is the other result that was meant."""
    for node in applied.nodes:
        made = _last_given(frame, node) if isinstance(node, ast.Name) else node
        match made:
            case ast.Attribute(value=ast.Call() as call, attr="values"):
                if _gives_values_and_indices(frame, call):
                    return f"use {source(call, 40)}.indices, not .values"
    return None


def _last_given(frame: Frame, name: ast.Name) -> ast.expr | None:
    """What was last assigned to a name above it, if it alone was."""
    last: ast.expr | None = None
    for node in walk(body_of(frame)):
        if isinstance(node, ast.Assign) and node.lineno < name.lineno:
            alone = [t for t in node.targets if isinstance(t, ast.Name) and t.id == name.id]
            if any(isinstance(n, ast.Name) and n.id == name.id for t in node.targets for n in walk(t)):
                last = node.value if alone else None
    return last


def _unpacked(frame: Frame, applied: Applied, message: str) -> str | None:
    """``indices, values = x.topk(k)``: an operand that is one of two results, named the wrong way round."""
    for node in applied.nodes:
        if not isinstance(node, ast.Name) or f"{node.id} is " not in message:
            continue
        pair = _pair_before(frame, node)
        if pair is not None and pair[0] == node.id and _gives_values_and_indices(frame, pair[2]):
            first, second, call = pair
            return f"{source(call.func, 40)} gives values, then indices: {second}, {first} = ..."
    return None


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
