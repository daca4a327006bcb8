"""Expressions: one function per kind."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from typedtorch.shapes.infer.annotations import reading
from typedtorch.shapes.infer.calls import calls
from typedtorch.shapes.infer.calls.arguments import beside
from typedtorch.shapes.infer.calls.binding import Args
from typedtorch.shapes.infer.calls.inner_changes import forget_what_it_changes
from typedtorch.shapes.infer.calls.results import check_yield
from typedtorch.shapes.infer.conditions import proven, refine
from typedtorch.shapes.infer.containers import enumerations, sets
from typedtorch.shapes.infer.containers.filled import with_more
from typedtorch.shapes.infer.containers.grown import few
from typedtorch.shapes.infer.containers.items import items_of, iterate
from typedtorch.shapes.infer.containers.lengths import length_of
from typedtorch.shapes.infer.expressions import attributes, comparing, slicing
from typedtorch.shapes.infer.expressions.arithmetic import is_tensor, operate, refuses_tuple
from typedtorch.shapes.infer.expressions.choosing import boolean, if_expression
from typedtorch.shapes.infer.expressions.comprehension import (
    dict_comprehension,
    generator_expression,
    list_comprehension,
    set_comprehension,
)
from typedtorch.shapes.infer.expressions.subscripts import item
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.layers.layers import learnt
from typedtorch.shapes.infer.library import folded
from typedtorch.shapes.infer.reports import messages
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    Awaitable,
    Choice,
    ClassV,
    DictV,
    External,
    FunctionV,
    Object,
    Scalar,
    Sequence,
    SpecV,
    Tensor,
    Value,
    is_size,
    join,
    join_all,
    of_others,
    options_of,
)
from typedtorch.shapes.size import Poly, Size, unknown


def evaluate(frame: Frame, node: ast.expr) -> Value:
    """The value of an expression in this frame; unknown for what is not modelled."""
    handler = _HANDLERS.get(type(node))
    if handler is None:
        return UNKNOWN
    if frame.depth:
        frame.interpreter.steps -= 1
        if frame.interpreter.steps < 0:
            return UNKNOWN
    else:
        frame.interpreter.own_steps -= 1
        if frame.interpreter.own_steps < 0:
            frame.exhausted = True
            return UNKNOWN
    value = handler(frame, node)
    if frame.reporter.counting:
        _count(frame, node, value)
    return value


def _count(frame: Frame, node: ast.expr, value: Value) -> None:
    if isinstance(value, Tensor) and value.library == "torch" and frame.depth == 0:
        frame.reporter.known[node] = value.is_known


def constant(frame: Frame, node: ast.Constant) -> Value:
    if isinstance(node.value, complex):
        return Scalar("complex")
    return node.value


def name(frame: Frame, node: ast.Name) -> Value:
    return _read_once(frame, frame.lookup(node.id))


def attribute(frame: Frame, node: ast.Attribute) -> Value:
    return _read_once(frame, attributes.get(frame, evaluate(frame, node.value), node.attr, node))


def _read_once(frame: Frame, value: Value) -> Value:
    """An iterator: whoever reads it may go through it, and the next finds what is left."""
    known = type(value) is Sequence and (value.items is not None or value.length is not None)
    if known and value.kind == "iterator":
        frame.state.replace_value(value, Sequence("iterator", None, value.any_item))
    return value


def tuple_(frame: Frame, node: ast.Tuple) -> Value:
    items, known, _ = _elements(frame, node.elts)
    return tuple(items) if known == len(items) else UNKNOWN


def list_(frame: Frame, node: ast.List) -> Value:
    items, known, length = _elements(frame, node.elts)
    start, place = Sequence("list", tuple(items[:known])), frame.place(node)
    if known == len(items):
        return start
    grown = with_more(start, join_all(items[known:], f"{place}.later"), place)
    return Sequence("list", None, join_all(items, place), length, grown=grown)


def set_(frame: Frame, node: ast.Set) -> Value:
    items, known, _ = _elements(frame, node.elts)
    place = frame.place(node)
    return sets.set_of(items, place) if known == len(items) else Sequence("set", None, UNKNOWN)


def _elements(frame: Frame, elts: list[ast.expr]) -> tuple[list[Value], int, Size | None]:
    """The items of a display, starred ones spread, or one for each where not all are known.

    With them, how many are known before the first of those, and how many there are in all.
    """
    items: list[Value] = []
    known, others = None, list[Size | None]()
    for element in elts:
        if isinstance(element, ast.Starred):
            value = beside(frame, items, element.value)
            # (*x.shape[:-1], d) keeps a run of unknown axes as it is
            spread = list(value) if isinstance(value, tuple) else items_of(value)
            if spread is None and isinstance(value, Sequence) and (short := few(value)) is not None:
                spread = list(short)
            if spread is None:
                known = len(items) if known is None else known
                spread = [iterate(value, frame.place(element))]
                others.append(length_of(value))
            items.extend(spread)
        else:
            items.append(beside(frame, items, element))
    total: Size | None = len(items) - len(others)
    for length in others:
        total = None if total is None or length is None else total + length
    return items, len(items) if known is None else known, total


def dict_(frame: Frame, node: ast.Dict) -> Value:
    items: dict[Value, Value] = {}
    rest: Value | None = None
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        value = evaluate(frame, value_node)
        if key_node is None:
            if not isinstance(value, DictV):
                value = DictV({}, UNKNOWN)
            if value.rest is not None:  # it may have any key, also one that stands before it
                rest = value.rest if rest is None and not items else UNKNOWN
                items.clear()
            items.update(value.items)
            continue
        key = evaluate(frame, key_node)
        if enumerations.is_key(key):
            items[key] = value
        else:
            rest = of_others(value) if rest is None else join(rest, value, frame.place(node))
    return DictV(items, rest)


def joined_str(frame: Frame, node: ast.JoinedStr) -> Value:
    """An f-string whose parts are known is a string: axis strings are written this way."""
    parts = [str(p.value) if isinstance(p, ast.Constant) else _formatted(frame, p) for p in node.values]
    known = [part for part in parts if isinstance(part, str)]
    return "".join(known) if len(known) == len(parts) else Object("str")


def _formatted(frame: Frame, piece: ast.expr) -> Value:
    if not isinstance(piece, ast.FormattedValue):
        return UNKNOWN
    if piece.conversion != -1:
        evaluate(frame, piece.value)
        return UNKNOWN
    value = enumerations.written(frame, piece.value)
    form = "" if piece.format_spec is None else evaluate(frame, piece.format_spec)
    if isinstance(value, Tensor) and value.rank and form and isinstance(form, str):
        messages.not_written(frame, piece.value, value, form)
    return folded.operator("format", value, form)


def starred(frame: Frame, node: ast.Starred) -> Value:
    evaluate(frame, node.value)
    return UNKNOWN


def await_(frame: Frame, node: ast.Await) -> Value:
    value = evaluate(frame, node.value)
    return value.value if isinstance(value, Awaitable) else UNKNOWN


def lambda_(frame: Frame, node: ast.Lambda) -> Value:
    closure = captured(frame)
    forget_what_it_changes(frame, frame.module.facts(node), closure)
    return FunctionV(node, frame.module, closure=closure, owner=frame.owner)


def captured(frame: Frame) -> dict[str, Value]:
    """The variables an inner function sees."""
    return {**frame.closure, **frame.state.variables}


def named(frame: Frame, node: ast.NamedExpr) -> Value:
    value = evaluate(frame, node.value)
    frame.state.variables[node.target.id] = value
    return value


def yield_(frame: Frame, node: ast.Yield) -> Value:
    value = None if node.value is None else evaluate(frame, node.value)
    frame.yields.append(value)
    frame.exits.append(frame.state.copy())  # whoever takes the item finds things as they are here
    check_yield(frame, node, value)
    if isinstance(value, DictV) and value.rest is None:  # and may put others into it
        frame.state.replace_value(value, replace(value, rest=UNKNOWN, length=None))
    return UNKNOWN


def yield_from(frame: Frame, node: ast.YieldFrom) -> Value:
    value = evaluate(frame, node.value)
    frame.yields.append(iterate(value, frame.place(node)))
    return UNKNOWN


def unary(frame: Frame, node: ast.UnaryOp) -> Value:
    value = evaluate(frame, node.operand)
    if isinstance(node.op, ast.Not):
        refine.ask_truth(frame, node.operand, value)
        truth = comparing.truth(value)
        return proven.negated(value) if truth is None else not truth
    if isinstance(value, (Tensor, Choice)):
        method = {ast.USub: "__neg__", ast.Invert: "__invert__", ast.UAdd: "__pos__"}[type(node.op)]
        return calls.tensor_method(frame, value, method, (), {}, node, (node.operand,))
    if isinstance(node.op, ast.Invert) and is_size(value):
        return -value - 1
    if isinstance(node.op, ast.USub) and isinstance(value, (int, float, Poly)):
        return -value
    if isinstance(value, Scalar) and value.kind == "bool":
        return unknown(f"?{frame.place(node)}")
    if isinstance(node.op, ast.UAdd) or (isinstance(node.op, ast.USub) and isinstance(value, Scalar)):
        return value
    return UNKNOWN


def binary(frame: Frame, node: ast.BinOp) -> Value:
    before = [evaluate(frame, node.left)]
    right = beside(frame, before, node.right)
    left = learnt(frame, node) if before[0] is UNKNOWN else before[0]
    return operate(frame, node, node.op, left, right, (node.left, node.right))


_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "__eq__", ast.NotEq: "__ne__", ast.Lt: "__lt__", ast.LtE: "__le__", ast.Gt: "__gt__",
    ast.GtE: "__ge__",
}  # fmt: skip
_MIRRORED = {"__lt__": "__gt__", "__gt__": "__lt__", "__le__": "__ge__", "__ge__": "__le__"}


def compare(frame: Frame, node: ast.Compare) -> Value:
    left = evaluate(frame, node.left)
    results: list[Value] = []
    left_node = node.left
    for op, right_node in zip(node.ops, node.comparators, strict=True):
        right = evaluate(frame, right_node)
        one = _compare_two(frame, node, op, left, right, (left_node, right_node))
        if len(node.ops) == 1:
            return one
        results.append(one)
        left, left_node = right, right_node
    if False in results:
        return False
    return proven.all_true(results) if any(one is not True for one in results) else True


def _compare_two(
    frame: Frame,
    node: ast.Compare,
    op: ast.cmpop,
    left: Value,
    right: Value,
    operands: tuple[ast.expr, ast.expr],
) -> Value:
    method = _COMPARISONS.get(type(op))
    if method is not None and refuses_tuple(op, left, right):
        messages.several(frame, node, left if isinstance(left, tuple) else right)
        return UNKNOWN
    if method is not None and (is_tensor(left) or is_tensor(right)):
        if is_tensor(left):
            result = calls.tensor_method(frame, left, method, (right,), {}, node, operands)
        else:
            swapped, mirrored = (operands[1], operands[0]), _MIRRORED.get(method, method)
            result = calls.tensor_method(frame, right, mirrored, (left,), {}, node, swapped)
        # of what is a number or a tensor, as the branch before had it, the result is a bool or a tensor
        return UNKNOWN if _may_be_plain(left) and _may_be_plain(right) else result
    verdict = comparing.compare_values(op, left, right)
    if verdict is not None:
        return verdict
    if method is not None and not (_is_plain(left) and _is_plain(right)):
        return UNKNOWN  # it may be an array that is compared
    return proven.compared(op, left, right, frame.state.variables.values())


def _may_be_plain(value: Value) -> bool:
    return any(_is_plain(option) and option is not None for option in options_of(value))


def _is_plain(value: Value) -> bool:
    """Whether comparing a value gives a bool."""
    return (
        value is None
        or is_size(value)
        or isinstance(value, (bool, float, str, tuple, Scalar, Sequence, DictV))
    )


def subscript(frame: Frame, node: ast.Subscript) -> Value:
    base = evaluate(frame, node.value)
    if isinstance(base, External):
        return _external_subscript(frame, node, base)
    if isinstance(base, (ClassV, SpecV)):
        return calls.class_subscript(frame, base, node)
    index = evaluate(frame, node.slice)
    return item(frame, base, index, node)


_GRIDS = frozenset({"numpy.r_", "numpy.c_", "numpy.mgrid", "numpy.ogrid"})


def _external_subscript(frame: Frame, node: ast.Subscript, base: External) -> Value:
    """``Float[Tensor, "b d"]``, ``list[X]``, ``Optional[X]`` used as a value; ``np.r_[x, y]``."""
    mask = reading.wrapper_mask(base)
    if mask is None:
        if reading.typing_name(base) is not None:
            return reading.alias(node, frame.evaluate)
        if base.name in _GRIDS:
            args = Args([evaluate(frame, node.slice)], [node.slice])
            return calls.call_value(frame, External(f"{base.name}.__getitem__"), args, node)
        return base if base.name.startswith("torch") else UNKNOWN
    if not isinstance(node.slice, ast.Tuple) or len(node.slice.elts) != 2:
        return UNKNOWN
    array_node, text_node = node.slice.elts
    array = calls.evaluate_type(frame, array_node)
    text = evaluate(frame, text_node)
    wrapper = base.name.rpartition(".")[2]
    messages.check_axes(frame, wrapper, array, text, text_node)
    spec = reading.array_spec(wrapper, mask, array, text)
    return SpecV(spec)


Handler = Callable[[Frame, Any], Value]
_HANDLERS: dict[type[ast.expr], Handler] = {
    ast.Constant: constant, ast.Name: name, ast.Attribute: attribute, ast.Tuple: tuple_, ast.List: list_,
    ast.Set: set_, ast.Dict: dict_, ast.JoinedStr: joined_str, ast.Starred: starred, ast.Await: await_,
    ast.Lambda: lambda_, ast.NamedExpr: named, ast.Yield: yield_, ast.YieldFrom: yield_from,
    ast.IfExp: if_expression, ast.BoolOp: boolean, ast.UnaryOp: unary, ast.BinOp: binary,
    ast.Compare: compare, ast.Subscript: subscript, ast.Slice: slicing.slice_, ast.Call: calls.call,
    ast.ListComp: list_comprehension, ast.GeneratorExp: generator_expression, ast.SetComp: set_comprehension,
    ast.DictComp: dict_comprehension,
}  # fmt: skip

__all__ = ["evaluate"]
