"""Operators between values: numbers, sizes, sequences, and tensors by rule."""

from __future__ import annotations

import ast
from dataclasses import replace

from typedtorch.shapes import dtypes
from typedtorch.shapes.bounds import positive
from typedtorch.shapes.infer.annotations import reading, specs
from typedtorch.shapes.infer.calls import calls
from typedtorch.shapes.infer.conditions import proven
from typedtorch.shapes.infer.containers import sets
from typedtorch.shapes.infer.containers.filled import with_more
from typedtorch.shapes.infer.containers.grown import few
from typedtorch.shapes.infer.expressions import attributes
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.library import folded
from typedtorch.shapes.infer.reports import messages
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    Choice,
    ClassV,
    DictV,
    External,
    FunctionV,
    Instance,
    Object,
    Scalar,
    Sequence,
    SpecV,
    Tensor,
    Value,
    is_size,
    join_all,
    options_of,
)
from typedtorch.shapes.python_numbers import NUMBERS, operator_kind
from typedtorch.shapes.size import Poly, floor_div, unknown
from typedtorch.shapes.tensor import ANY_AXES, Pack

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv",
    ast.Mod: "mod", ast.Pow: "pow", ast.MatMult: "matmul", ast.BitAnd: "and", ast.BitOr: "or",
    ast.BitXor: "xor", ast.LShift: "lshift", ast.RShift: "rshift",
}  # fmt: skip


def operate(
    frame: Frame,
    node: ast.AST,
    op: ast.operator,
    left: Value,
    right: Value,
    operands: tuple[ast.expr, ast.expr],
    *,
    in_place: bool = False,
) -> Value:
    """A binary operator on two values."""
    if refuses_tuple(op, left, right):
        messages.several(frame, node, left if isinstance(left, tuple) else right)
        return UNKNOWN
    if isinstance(left, Instance):
        return _operator_of(frame, node, _OPERATORS[type(op)], left, right, operands, in_place)
    if is_tensor(left) or is_tensor(right):
        return _operate_on_tensors(frame, node, op, left, right, operands, in_place)
    if isinstance(op, ast.BitOr) and _is_type(left) and _is_type(right):
        return SpecV(specs.union([reading.to_spec(left), reading.to_spec(right)]))
    if isinstance(left, Choice) or isinstance(right, Choice):
        results = [
            operate(frame, node, op, x, y, operands) for x in options_of(left) for y in options_of(right)
        ]
        return join_all(results, frame.place(node))
    if isinstance(right, Instance):
        return UNKNOWN
    return proven.computed(arithmetic(frame, node, op, left, right), (left, right))


def _operator_of(
    frame: Frame,
    node: ast.AST,
    base: str,
    left: Instance,
    right: Value,
    operands: tuple[ast.expr, ast.expr],
    in_place: bool,
) -> Value:
    """``left.__iadd__(right)``, or ``left.__add__(right)``, where the program defines it."""
    for name in (f"__i{base}__", f"__{base}__") if in_place else (f"__{base}__",):
        user = calls.operator_method(frame, node, name, left, right, operands)
        if user is not None:
            return user[0]
    return UNKNOWN


def is_tensor(value: Value) -> bool:
    """Whether a value is a tensor, or may be one."""
    return isinstance(value, Tensor) or (
        isinstance(value, Choice) and any(isinstance(o, Tensor) for o in value.options)
    )


def refuses_tuple(op: ast.operator | ast.cmpop, left: Value, right: Value) -> bool:
    """``lstm(x) + 1`` and ``x.max(1) == y``: a tuple of tensors where one of them is wanted."""
    if isinstance(left, tuple) and isinstance(right, tuple):
        joins = isinstance(op, (ast.Add, ast.cmpop))
        return not joins and attributes.holds_tensors(left) and attributes.holds_tensors(right)
    if not isinstance(left, tuple) and not isinstance(right, tuple):
        return False
    several, other = (left, right) if isinstance(left, tuple) else (right, left)
    if not attributes.holds_tensors(several):
        return False
    if isinstance(op, ast.Mult) and (is_size(other) or isinstance(other, bool)):
        return False
    return isinstance(other, (float, Scalar)) or is_size(other) or _is_torch(other)


def _is_torch(value: Value) -> bool:
    return isinstance(value, Tensor) and value.library == "torch"


def _is_type(value: Value) -> bool:
    return value is None or isinstance(value, (SpecV, ClassV, External))


def _operate_on_tensors(
    frame: Frame,
    node: ast.AST,
    op: ast.operator,
    left: Value,
    right: Value,
    operands: tuple[ast.expr, ast.expr],
    in_place: bool,
) -> Value:
    base = _OPERATORS[type(op)]
    swapped = (operands[1], operands[0])
    if isinstance(left, Tensor) and left.library == "numpy" and _is_torch(right):
        if left.shape == ():
            return calls.tensor_method(frame, right, f"__r{base}__", (left,), {}, node, swapped)
        made = calls.tensor_method(frame, left, f"__{base}__", (right,), {}, node, operands)
        return made if any(not isinstance(axis, Pack) for axis in left.shape) else _of_any_dtype(made)
    if is_tensor(left):
        method = f"__i{base}__" if in_place else f"__{base}__"
        if isinstance(right, (Instance, Object)):
            return UNKNOWN
        if right is UNKNOWN:
            right = _anything_beside(frame, left, base)
            return _of_any_dtype(calls.tensor_method(frame, left, method, (right,), {}, node, operands))
        return calls.tensor_method(frame, left, method, (right,), {}, node, operands)
    if isinstance(left, (Object, LayerLike)) or left is None:
        return UNKNOWN
    if left is UNKNOWN:  # its own operator is asked first, and may take whatever it is given
        left = _anything_beside(frame, right, base)
        with frame.reporter.mute():
            made = calls.tensor_method(frame, right, f"__r{base}__", (left,), {}, node, swapped)
        return _of_any_dtype(made)
    return calls.tensor_method(frame, right, f"__r{base}__", (left,), {}, node, swapped)


LayerLike = (FunctionV, ClassV)


def _of_any_dtype(result: Value) -> Value:
    """The result where the other operand is unknown: it may be an object with an operator of its own."""
    if isinstance(result, Tensor) and not result.dtype & (dtypes.INTEGRAL | dtypes.BOOL):
        return replace(result, dtype=dtypes.ANY)
    return result


def _anything_beside(frame: Frame, tensor: Value, base: str) -> Value:
    """An unknown operand: whatever it is, the axes of the tensor remain the last ones of the result."""
    if base == "matmul" or not isinstance(tensor, Tensor) or tensor.library != "torch" or frame.blamed():
        return UNKNOWN
    return Tensor((ANY_AXES,))


def arithmetic(frame: Frame, node: ast.AST, op: ast.operator, left: Value, right: Value) -> Value:
    """Numbers, strings and sequences."""
    if is_size(left) and is_size(right):
        return _integer_arithmetic(op, left, right, frame.place(node))
    if isinstance(op, ast.Add):
        if isinstance(left, str) and isinstance(right, str):
            return left + right
        if isinstance(left, tuple) and isinstance(right, tuple):
            return tuple(left) + tuple(right)
        if isinstance(left, Sequence) and isinstance(right, Sequence):
            return _concatenate(left, right, frame.place(node))
    if isinstance(op, (ast.Mult, ast.Mod)) and (isinstance(left, str) or isinstance(right, str)):
        made = folded.operator("*" if isinstance(op, ast.Mult) else "%", left, right)
        return Object("str") if made is folded.NOT_FOLDED else made
    if isinstance(op, ast.Mult):
        sequence, times = (left, right) if isinstance(left, (tuple, Sequence)) else (right, left)
        if isinstance(sequence, (tuple, Sequence)):
            return _repeat(sequence, times)
    if isinstance(op, ast.BitOr) and isinstance(left, DictV) and isinstance(right, DictV):
        return _merge(left, right)
    if (made := sets.operate(op, left, right, frame.place(node))) is not UNKNOWN:
        return made
    return _number_arithmetic(op, left, right, frame.place(node))


def _merge(left: DictV, right: DictV) -> DictV:
    """``left | right``: the right one's values where both have a key."""
    if right.rest is not None:
        return DictV({}, UNKNOWN)
    return replace(left, items={**left.items, **right.items}, length=None)


def _number_arithmetic(op: ast.operator, left: Value, right: Value, place: str) -> Value:
    if type(left) in NUMBERS and type(right) in NUMBERS and right != 0:
        try:
            match op:
                case ast.Add():
                    return left + right
                case ast.Sub():
                    return left - right
                case ast.Mult():
                    return left * right
                case ast.Div():
                    return left / right
                case ast.FloorDiv():
                    return left // right
                case ast.Mod():
                    return left % right
                case ast.Pow():
                    result = left**right
                    return Scalar("complex") if isinstance(result, complex) else result
        except (OverflowError, ZeroDivisionError):
            return Scalar("float")
    kind = operator_kind(type(op).__name__, left, right)
    if kind is None:
        return UNKNOWN
    return unknown(f"?{place}") if kind == "int" else Scalar(kind)


def _integer_arithmetic(op: ast.operator, left: int | Poly, right: int | Poly, place: str) -> Value:
    match op:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.FloorDiv() if right != 0:
            return floor_div(left, right)
        case ast.Mod() if right != 0:
            return left % right
        case ast.Div() if isinstance(left, int) and isinstance(right, int) and right != 0:
            return left / right
        case ast.Div():
            return Scalar("float")
        case ast.Pow() if isinstance(right, int) and 0 <= right <= 8:
            return left**right
        case ast.Pow() if isinstance(right, Poly) or isinstance(left, Poly):
            return Scalar("float") if positive(-right) else unknown(f"?{place}")
        case ast.LShift() if isinstance(left, int) and isinstance(right, int) and 0 <= right < 64:
            return left << right
        case ast.RShift() if isinstance(right, int) and 0 <= right < 64:
            return floor_div(left, 1 << right)
        case ast.BitAnd() if isinstance(left, int) and isinstance(right, int):
            return left & right
        case ast.BitOr() if isinstance(left, int) and isinstance(right, int):
            return left | right
        case ast.BitXor() if isinstance(left, int) and isinstance(right, int):
            return left ^ right
    return unknown(f"?{place}")


def _concatenate(left: Sequence, right: Sequence, place: str) -> Sequence:
    if (before := few(left)) is not None and (behind := few(right)) is not None:
        return Sequence("list", before + behind)
    parts = [s.any_item for s in (left, right) if s.items != ()]
    one, other = (s.length if s.items is None else len(s.items) for s in (left, right))
    length = None if one is None or other is None else one + other
    grown = with_more(left, right.any_item, place) if right.grown is None and right.items != () else None
    return Sequence("list", None, join_all(parts, place), length, grown=grown)


def _repeat(sequence: tuple[Value, ...] | Sequence, times: Value) -> Value:
    items = sequence if isinstance(sequence, tuple) else sequence.items
    if isinstance(times, int) and items is not None and 0 <= times * len(items) <= 64:
        repeated = tuple(items) * times
        return repeated if isinstance(sequence, tuple) else Sequence("list", repeated)
    if isinstance(sequence, Sequence) and is_size(times):
        length = None if items is None else times * len(items)
        return Sequence("list", None, sequence.any_item, length)
    return UNKNOWN
