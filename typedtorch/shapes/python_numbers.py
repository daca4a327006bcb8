"""Python's numbers of unknown value, by kind: what an operator, or the meeting of two ways, makes of them.

An integer of unknown value is a size; the other kinds are :class:`Scalar`, and ``real`` is one of them that
may be an integer too.
"""

from __future__ import annotations

from typing import Any, Literal

from typedtorch.shapes.proofs import Facts, Proofs, common
from typedtorch.shapes.size import Poly
from typedtorch.shapes.tensor import Scalar

NumberKind = Literal["bool", "int", "float", "complex", "real"]
NUMBERS = frozenset({bool, int, float})  # asked for by isinstance, mypyc would make floats of integers


def number_kind(value: Any) -> NumberKind | None:
    """Which kind of number a value is; None for anything else.

    >>> number_kind(True), number_kind(3), number_kind(Scalar("float")), number_kind("3")
    ('bool', 'int', 'float', None)
    """
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, (int, Poly)):
        return "int"
    if isinstance(value, Scalar):
        return value.kind
    return "float" if isinstance(value, float) else "complex" if isinstance(value, complex) else None


def one_of(*values: Any) -> Scalar | None:
    """One of several numbers of which some are no integers; None where nothing is known of it.

    >>> one_of(1, 0.5), one_of(True, Scalar("bool")), one_of(1.0, 1j)
    (Scalar(kind='real'), Scalar(kind='bool'), None)
    """
    kinds = {number_kind(v) for v in values}
    if None in kinds or (len(kinds) > 1 and "complex" in kinds):
        return None
    kind = kinds.pop()
    if kind == "bool" and not kinds:
        return Scalar("bool", proves=proven_by_any([proven_by(value) for value in values]))
    return Scalar("real") if kinds or kind is None or kind == "int" else Scalar(kind)


def proven_by(value: Any) -> tuple[Facts | None, Facts | None]:
    """What a bool proves where it is true, and where it is not; None where it cannot be so.

    >>> proven_by(True), proven_by(Scalar("bool"))
    (((), None), ((), ()))
    """
    if isinstance(value, Scalar):
        return (value.proves[0], value.proves[1]) if value.proves else ((), ())
    return ((), None) if value else (None, ())


def proven_by_any(several: list[tuple[Facts | None, Facts | None]]) -> Proofs:
    """What one of several bools proves; nothing where that is nothing."""
    sides = [[facts for facts in side if facts is not None] for side in zip(*several, strict=True)]
    proofs = tuple(common(side) if side else () for side in sides)
    return proofs if any(proofs) else ()


def operator_kind(operator: str, left: Any, right: Any) -> NumberKind | None:
    """What an operator, by the name of its node, makes of two numbers; None where they are not two numbers.

    >>> from typedtorch.shapes.size import axis
    >>> operator_kind("Mult", Scalar("complex"), 3.14), operator_kind("BitAnd", True, Scalar("bool"))
    ('complex', 'bool')
    >>> operator_kind("Add", True, Scalar("bool")), operator_kind("Div", 1, axis("n"))
    ('int', 'float')
    """
    kinds = {number_kind(left), number_kind(right)}
    if None in kinds:
        return None
    if "complex" in kinds:
        return "complex"
    if operator in ("BitAnd", "BitOr", "BitXor", "LShift", "RShift"):
        return "bool" if kinds == {"bool"} and operator.startswith("Bit") else "int"
    if "float" in kinds:
        return "float"
    if operator == "Div":
        return "float"
    return "real" if "real" in kinds or (operator == "Pow" and kinds != {"bool"}) else "int"


__all__ = ["NumberKind", "number_kind", "one_of", "operator_kind"]
