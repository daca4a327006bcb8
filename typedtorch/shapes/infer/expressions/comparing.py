"""What a comparison of two values gives, where it is certain."""

from __future__ import annotations

import ast
from collections.abc import Callable

from typedtorch.shapes.equality import same
from typedtorch.shapes.infer.containers import enumerations
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    Choice,
    ClassV,
    DictV,
    FunctionV,
    Sequence,
    Value,
    is_size,
)
from typedtorch.shapes.tensor import Pack, same_shape

_ORDER: dict[type[ast.cmpop], Callable[[object, object], bool]] = {
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
    ast.Lt: lambda a, b: a < b,  # type: ignore[operator]  # a TypeError is caught by the caller
    ast.LtE: lambda a, b: a <= b,  # type: ignore[operator]  # likewise
    ast.Gt: lambda a, b: a > b,  # type: ignore[operator]  # likewise
    ast.GtE: lambda a, b: a >= b,  # type: ignore[operator]  # likewise
}


def truth(value: Value) -> bool | None:
    """Whether a value is true; None where it depends."""
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return bool(value)
    if isinstance(value, tuple):
        return bool(value)
    if isinstance(value, Sequence) and value.kind == "list" and value.items is not None:
        return bool(value.items)
    if isinstance(value, DictV) and value.kind == "dict" and value.rest is None:
        return bool(value.items)
    if isinstance(value, (FunctionV, ClassV)):
        return True
    if isinstance(value, Choice):
        verdicts = {truth(option) for option in value.options}
        return verdicts.pop() if len(verdicts) == 1 else None
    return None


def compare_values(op: ast.cmpop, left: Value, right: Value) -> bool | None:
    """A comparison whose answer does not depend on a run; None otherwise."""
    if isinstance(op, (ast.Is, ast.IsNot)):
        verdict = _is(left, right)
        return verdict if verdict is None or isinstance(op, ast.Is) else not verdict
    if isinstance(op, (ast.In, ast.NotIn)):
        verdict = contains(left, right)
        return verdict if verdict is None or isinstance(op, ast.In) else not verdict
    constants = (int, float, str, bool, type(None))
    if isinstance(left, constants) and isinstance(right, constants):
        try:
            return _ORDER[type(op)](left, right)
        except TypeError:
            return None
    if isinstance(op, (ast.Eq, ast.NotEq)):
        equal = None
        if is_size(left) and is_size(right):
            equal = True if same(left, right) is True else None
        elif isinstance(left, tuple) and isinstance(right, tuple):
            equal = True if same_shape_values(left, right) else None
        elif _of_two_kinds(left, right):
            equal = False
        elif isinstance(left, ClassV) and isinstance(right, ClassV):
            equal = _same_class(left, right)
        else:
            equal = enumerations.equal(left, right)
        return equal if equal is None or isinstance(op, ast.Eq) else not equal
    if is_size(left) and is_size(right):  # ``n - 1 < n - 1``
        difference = left - right
        return _ORDER[type(op)](difference, 0) if isinstance(difference, int) else None
    return None


def _of_two_kinds(left: Value, right: Value) -> bool:
    """Whether one is a number or a text, and the other a list, a tuple or a dict."""
    for one, other in ((left, right), (right, left)):
        if is_size(one) or isinstance(one, (bool, float, str)):
            held = isinstance(other, (DictV, Sequence)) and other.kind in ("list", "dict")
            return held or isinstance(other, tuple)
    return False


def same_shape_values(left: tuple[Value, ...], right: tuple[Value, ...]) -> bool:
    """Whether two tuples are certainly equal shapes."""
    if not all(is_size(v) or isinstance(v, Pack) for v in (*left, *right)):
        return False
    return same_shape(left, right) is True


def at_most(op: ast.cmpop, limit: int, positive: bool) -> int | None:
    """The most that something is where it compares so with a limit."""
    match op:
        case ast.Lt() if positive:
            return limit - 1
        case ast.LtE() if positive:
            return limit
        case ast.Gt() if not positive:
            return limit
        case ast.GtE() if not positive:
            return limit - 1
    return None


def _is(left: Value, right: Value) -> bool | None:
    if right is None or left is None:
        other = left if right is None else right
        if other is None:
            return True
        if other is UNKNOWN or (isinstance(other, Choice) and any(o is None for o in other.options)):
            return None
        return False
    if isinstance(left, bool) and isinstance(right, bool):
        return left is right
    if isinstance(left, ClassV) and isinstance(right, ClassV):
        return _same_class(left, right)
    return enumerations.same(left, right)


def _same_class(left: ClassV, right: ClassV) -> bool | None:
    """False for two classes that are not of one line: ``cls`` and ``type(x)`` may be one that extends it.

    Those of one name may be one, read from two places.
    """
    one, other = left.info, right.info
    related = one in other.mro() or other in one.mro() or one.name == other.name
    return None if related else False


def contains(left: Value, right: Value) -> bool | None:
    """``left in right``; None where it is not known."""
    constants = (int, str, float, bool)
    if isinstance(left, ClassV):
        classes = right.items if isinstance(right, Sequence) else right
        if not isinstance(classes, tuple) or not all(isinstance(c, ClassV) for c in classes):
            return None
        return None if any(_same_class(left, c) is None for c in classes if isinstance(c, ClassV)) else False
    if not isinstance(left, constants):
        return None
    if isinstance(right, DictV) and right.rest is None:
        return left in right.items
    if isinstance(right, Sequence) and right.members is not None:
        return left in right.members
    items = right if isinstance(right, tuple) else right.items if isinstance(right, Sequence) else None
    if items is not None and all(isinstance(i, constants) for i in items):
        return left in items
    if isinstance(left, str) and isinstance(right, str):
        return left in right
    return None
