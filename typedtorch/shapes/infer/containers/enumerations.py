"""Enumerations of the program: their members, and whether two of them are one."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from typedtorch.shapes.infer.values.values import UNKNOWN, External, Object, Value

if TYPE_CHECKING:
    from typedtorch.shapes.infer.classes.classes import ClassInfo
    from typedtorch.shapes.infer.frame import Frame

_LOWER = {"enum.StrEnum", "strenum.LowercaseStrEnum"}  # ``auto()`` is the name of the member in lower case
_TEXTS = {"builtins.str", "enum.StrEnum", *_LOWER}
_NUMBERS = {"builtins.int", "enum.IntEnum"}


def member(info: ClassInfo, name: str) -> Value:
    """The member of a name."""
    if name not in info.assigned or name.startswith("_"):
        return UNKNOWN
    return Object(f"{info.name}.{name}", _value(info, name), info)


def members(info: ClassInfo) -> list[Value] | None:
    """All of them, in order; None where some may be one and the same."""
    found = [member(info, name) for name in info.assigned if not name.startswith("_")]
    alone = all(same(a, b) is False for i, a in enumerate(found) for b in found[:i])
    return found if found and alone else None


def of_value(info: ClassInfo, value: Value) -> Value:
    """``Kind("mean")``: the member that stands for it."""
    found = [m for m in members(info) or () if isinstance(m, Object) and m.value == value]
    known = isinstance(value, (str, int)) and len(found) == 1 and info.find("_missing_") is None
    return found[0] if known else UNKNOWN


def is_key(value: Value) -> bool:
    """Whether it can be told which item of a dict a value is the key of."""
    return isinstance(value, (str, int, float, bytes, type(None))) or _holder(value) is not None


def same(a: Value, b: Value) -> bool | None:
    """Whether two values are one, of which one is a member of an enumeration; None where it is not known."""
    one, other = _holder(a), _holder(b)
    if one is None or other is None or one is not other:
        return None
    if a == b:
        return True
    values = [_constant(one, value) for value in (a, b)]
    return False if UNKNOWN not in values and values[0] != values[1] else None


def equal(a: Value, b: Value) -> bool | None:
    """Likewise by ``==``, where a member may be a text or a number."""
    for left, right in ((a, b), (b, a)):
        info = _holder(left)
        if info is not None and info.find("__eq__") is not None:
            return None
        if info is not None and isinstance(left, Object) and left.value is not UNKNOWN:
            kind = str if _TEXTS & {*info.kind.external} else int
            if isinstance(right, kind) and (kind is str or _NUMBERS & {*info.kind.external}):
                return bool(left.value == right)
    return same(a, b)


def written(frame: Frame, node: ast.expr) -> Value:
    """What an f-string writes of an expression: of a member of a ``StrEnum``, its text."""
    value = frame.evaluate(node)
    info = _holder(value)
    if isinstance(value, Object) and isinstance(value.value, str) and info is not None:
        return value.value if _LOWER & {*info.kind.external} else value
    return value


def _holder(value: Value) -> ClassInfo | None:
    return value.holder if isinstance(value, Object) else None


def _value(info: ClassInfo, name: str) -> Value:
    """The text or number that a member stands for."""
    assigned = info.assigned[name]
    if isinstance(assigned, ast.Call):
        lowered = _is_auto(info, assigned) and _LOWER & {*info.kind.external}
        return name.lower() if lowered else UNKNOWN
    value = info.evaluate(assigned)
    return value if isinstance(value, (str, int)) else UNKNOWN


def _is_auto(info: ClassInfo, node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and info.evaluate(node.func) == External("enum.auto")


def _constant(info: ClassInfo, value: Value) -> object:
    """What makes a member another than the rest: its value, or its name where that is counted on."""
    assert isinstance(value, Object)
    name = value.name.rpartition(".")[2]
    assigned = info.assigned[name]
    if all(_is_auto(info, node) for other, node in info.assigned.items() if not other.startswith("_")):
        return name
    try:
        return ast.literal_eval(assigned)
    except ValueError:
        return UNKNOWN if isinstance(assigned, ast.Call) else value.value


__all__ = ["equal", "is_key", "member", "members", "of_value", "same", "written"]
