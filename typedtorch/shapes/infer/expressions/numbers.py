"""Python's own numbers: len's like, rounding, extremes, ranges."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable

from typedtorch.shapes.infer.calls.binding import Args, Special
from typedtorch.shapes.infer.conditions import proven
from typedtorch.shapes.infer.conditions.places import look
from typedtorch.shapes.infer.containers.items import items_of, iterate, this_one
from typedtorch.shapes.infer.expressions import comparing, fractions
from typedtorch.shapes.infer.frame import Frame, source
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    ClassV,
    Dtype,
    FunctionV,
    LayerV,
    Object,
    Scalar,
    Sequence,
    Tensor,
    Value,
    is_size,
    join_all,
)
from typedtorch.shapes.python_numbers import NUMBERS, one_of
from typedtorch.shapes.size import Poly, Size, atoms, integer, is_unknown, product, unknown


def to_int(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``int(x)``."""
    value = args.get(0, "x", 0)
    if is_size(value) or (isinstance(value, Scalar) and value.kind == "bool" and value.proves):
        return value
    _as_numbers(frame, args, "__int__", node)
    if isinstance(value, (bool, float)) and math.isfinite(value):
        return int(value)
    return _of_fraction(frame, args, "int", node)


def to_float(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``float(x)``."""
    value = args.get(0, "x", 0.0)
    _as_numbers(frame, args, "__float__", node)
    return float(value) if isinstance(value, (int, float)) else Scalar("float")


def _as_numbers(frame: Frame, args: Args, method: str, node: ast.AST) -> None:
    """``int(x)`` of a tensor takes one element, and so does whatever else wants a number."""
    for value, where in zip(args.values, args.nodes, strict=False):
        if isinstance(value, Tensor):
            frame.call_method(value, method, (), {}, node, (where,))


def to_bool(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``bool(x)``."""
    value = args.get(0, "x", False)
    _as_numbers(frame, args, "__bool__", node)
    verdict = comparing.truth(value)
    if verdict is not None:
        return verdict
    return value if isinstance(value, Scalar) and value.kind == "bool" else Scalar("bool")


def to_str(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``str(x)``."""
    value = args.get(0, "x", "")
    where = args.nodes[0] if args.nodes else None
    if isinstance(value, Dtype) and isinstance(where, ast.Attribute):
        return _text_of_dtype(frame, value, where)
    return str(value) if isinstance(value, (str, int)) else Object("str")


def _text_of_dtype(frame: Frame, dtype: Dtype, where: ast.Attribute) -> Value:
    """``str(x.dtype)``: torch and numpy say it differently."""
    holder = look(frame, where.value)
    if dtype.mask.bit_count() != 1 or not isinstance(holder, Tensor):
        return Object("str")
    return str(dtype) if holder.library == "numpy" else f"torch.{dtype}"


def range_(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``range(...)``: its numbers, or how many there are."""
    values = args.values
    _as_numbers(frame, args, "__index__", node)
    numeric = values and all(isinstance(v, int) and not isinstance(v, bool) for v in values)
    if numeric and len(values) <= 3 and values[2:] != [0]:
        numbers = range(*values)
        if len(numbers) <= 16:
            return Sequence("view", tuple(numbers))
        frame.counters[unknown(f"?{frame.place(node)}")] = numbers
    return Sequence("view", None, unknown(f"?{frame.place(node)}"), _turns(values))


def _turns(values: list[Value]) -> Size | None:
    """How many numbers ``range(n)``, ``range(a, b)`` or, backwards, ``range(a, b, -1)`` has."""
    sizes: list[Size] = [v for v in values if is_size(v) and not is_unknown(v)]
    if len(sizes) < len(values):
        return None
    match sizes:
        case [count]:
            return count
        case [start, stop] | [start, stop, 1]:
            return stop - start
        case [start, stop, -1]:
            return start - stop
    return None


def extreme(pick: Callable[..., Value]) -> Special:
    """``min`` or ``max``, of arguments or of one list."""

    def handler(frame: Frame, args: Args, node: ast.AST) -> Value:
        if len(args.values) == 1 and "key" in args.keywords and "default" not in args.keywords:
            return this_one(frame, iterate(args.values[0], frame.place(node)), frame.place(node))
        items = items_of(args.values[0]) if len(args.values) == 1 else args.values
        if items and "key" in args.keywords:
            return join_all(items, frame.place(node))
        if len(args.values) > 1 and all(is_size(v) or isinstance(v, _NUMERIC) for v in args.values):
            _as_numbers(frame, args, "__bool__", node)  # of ``0 > x``, as many elements as x has
        if items and all(is_size(v) for v in items):
            return pick(*items)
        if items is None and is_size(each := iterate(args.values[0], frame.place(node))):
            return _one_of_many(frame, each, node)
        return one_of(*items) or UNKNOWN if items else UNKNOWN

    return handler


_NUMERIC = (float, Scalar, Tensor)


def _one_of_many(frame: Frame, each: Size, node: ast.AST) -> Size:
    """``max(ks)`` of integers that were passed is an integer that was passed; another only running tells."""
    passed = all(atom.kind == "int" and not atom.scope for atom in atoms(each))
    if not passed or isinstance(each, int) or frame.depth or not isinstance(node, ast.expr):
        return unknown(f"?{frame.place(node)}")
    return integer(source(node), f"@{frame.place(node)}")


def absolute(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``abs(x)``."""
    value = args.get(0, "x", UNKNOWN)
    if isinstance(value, Tensor):
        return frame.call_method(value, "abs", (), {}, node, tuple(args.nodes))
    if type(value) in NUMBERS:
        return abs(value)
    if isinstance(value, Scalar) and value.kind in ("float", "real"):
        return value
    return unknown(f"?{frame.place(node)}") if isinstance(value, (Poly, Scalar)) else UNKNOWN


def round_(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``round(x, digits)``."""
    value = args.get(0, "number", UNKNOWN)
    if is_size(value):
        return value
    if isinstance(value, float) and len(args.values) == 1:
        return round(value)
    if isinstance(value, Scalar):
        return value if len(args.values) > 1 or args.keywords else unknown(f"?{frame.place(node)}")
    return UNKNOWN


def some_bool(frame: Frame, args: Args, node: ast.AST) -> Value:
    """A function that returns a bool."""
    return Scalar("bool")


def callable_(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``callable(x)``: no number, text, tensor or tuple is, and functions, classes and layers are."""
    value = args.get(0, "obj", UNKNOWN)
    if value is None or is_size(value) or isinstance(value, (str, float, tuple, Scalar, Tensor)):
        return False
    return True if isinstance(value, (FunctionV, ClassV, LayerV)) else Scalar("bool")


def all_(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``all(a == b for a, b in zip(x.shape, y.shape))`` is true only where each of them is."""
    return _decided(args, by=False)


def any_(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``any(a != b for a, b in zip(x.shape, y.shape))`` is false only where none of them is."""
    return _decided(args, by=True)


def _decided(args: Args, *, by: bool) -> Value:
    """What is so as soon as one item is."""
    items = items_of(args.get(0, "iterable", UNKNOWN))
    if items is None:
        return Scalar("bool")
    verdicts = {comparing.truth(item) for item in items}
    if by in verdicts:
        return by
    made = proven.any_true(items) if by else proven.all_true(items)
    return made if None in verdicts else not by


def float_function(frame: Frame, args: Args, node: ast.AST) -> Value:
    """A function of numbers that returns a float."""
    _as_numbers(frame, args, "__float__", node)
    return Scalar("float")


def integer_function(frame: Frame, args: Args, node: ast.AST) -> Value:
    """A function that returns an integer of its own."""
    return unknown(f"?{frame.place(node)}")


def rounding(function: Callable[[float], int]) -> Special:
    """``math.floor``, ``math.ceil`` or ``math.trunc``."""

    def handler(frame: Frame, args: Args, node: ast.AST) -> Value:
        value = args.values[0] if args.values else UNKNOWN
        if is_size(value):
            return value
        if isinstance(value, float) and math.isfinite(value):
            return function(value)
        return _of_fraction(frame, args, function.__name__, node)

    return handler


def _of_fraction(frame: Frame, args: Args, name: str, node: ast.AST) -> Size:
    made = fractions.rounded(frame, args.nodes[0], name) if len(args.nodes) == 1 else None
    return unknown(f"?{frame.place(node)}") if made is None else made


def math_product(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``math.prod(sizes)``."""
    items = items_of(args.values[0]) if args.values else None
    if items is not None and all(is_size(v) for v in items) and not args.keywords:
        return product(items)
    return unknown(f"?{frame.place(node)}")
