"""What the ways that lead to a value have proven of sizes, kept with the value (see ``proofs``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from typedtorch.shapes.infer.values import Choice, Object, Scalar, Value, choice, is_size, options_of
from typedtorch.shapes.proofs import Facts, Proofs, common, together
from typedtorch.shapes.python_numbers import number_kind, proven_by, proven_by_any


def of_each(values: Sequence[Value], known: Sequence[Facts], joined: Value) -> Value:
    """One of several values, with what is proven by which it is; ``known`` holds where each came about."""
    if isinstance(joined, Scalar):
        if joined.kind != "bool":
            return joined
        sides = [
            tuple(None if facts is None else together(facts, also) for facts in proven_by(value))
            for value, also in zip(values, known, strict=True)
        ]
        proves = proven_by_any([(then, other) for then, other in sides])
        return joined if proves == joined.proves else replace(joined, proves=proves)
    if not any(known) and not any(isinstance(v, Choice) and v.proves for v in values):
        return joined
    if joined == Object("str") and all(isinstance(value, str) for value in values):
        joined = choice(list(dict.fromkeys(values)))
    if not isinstance(joined, Choice):
        return joined
    proofs = tuple(common(_reasons(option, values, known)) for option in joined.options)
    return replace(joined, proves=proofs if any(proofs) else ())


def _reasons(option: Value, values: Sequence[Value], known: Sequence[Facts]) -> list[Facts]:
    """What holds where each of some values that may be this option came about."""
    found = [
        together(facts, also)
        for value, also in zip(values, known, strict=True)
        for part, facts in zip(options_of(value), _proofs_of(value), strict=True)
        if _may_be(part, option)
    ]
    return found or [()]


def _may_be(part: Value, option: Value) -> bool:
    if number_kind(part) is not None and number_kind(option) is not None:
        return True
    return type(part) is type(option) and (not isinstance(part, str) or part == option)


def _proofs_of(value: Value) -> Proofs:
    if isinstance(value, Choice) and value.proves:
        return value.proves
    return ((),) * len(options_of(value))


def by_being(value: Choice, options: Sequence[Value]) -> Facts:
    """What is proven by a value being one of these of its options."""
    if not value.proves:
        return ()
    held = [f for o, f in zip(value.options, value.proves, strict=True) if any(o is k for k in options)]
    return common(held) if held else ()


def by_equality(a: Value, b: Value) -> Facts:
    """What is proven by two sizes, or two shapes, being equal.

    >>> from typedtorch.shapes.size import axis
    >>> by_equality((axis("b"), axis("d")), (2, axis("d")))
    (b - 2,)
    """
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return together(*map(by_equality, a, b))
    difference = a - b if is_size(a) and is_size(b) else 0
    return () if difference == 0 else (difference,)


def compared(a: Value, b: Value, equal: bool) -> Scalar:
    """``a == b`` where it is not known, or ``a != b``."""
    facts = by_equality(a, b)
    return Scalar("bool", proves=(facts, ()) if equal else ((), facts)) if facts else Scalar("bool")


def negated(value: Value) -> Scalar:
    """``not value``, where it is not known."""
    return Scalar("bool", proves=value.proves[::-1] if isinstance(value, Scalar) else ())


def also(flag: Scalar, if_true: Facts, if_false: Facts) -> Scalar:
    """A bool that proves more than it did."""
    then, other = flag.proves or ((), ())
    return replace(flag, proves=(together(then, if_true), together(other, if_false)))


def all_true(values: Sequence[Value]) -> Scalar:
    """A bool that is true only where each of several is."""
    then = together(*[value.proves[0] for value in values if isinstance(value, Scalar) and value.proves])
    return Scalar("bool", proves=(then, ()) if then else ())


__all__ = ["all_true", "also", "by_being", "by_equality", "compared", "negated", "of_each"]
