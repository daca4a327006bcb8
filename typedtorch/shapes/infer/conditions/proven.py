"""What the ways that lead to a value have proven of sizes, kept with the value (see ``proofs``)."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import replace

from typedtorch.shapes.infer.values.values import (
    Choice,
    LayerV,
    Object,
    Scalar,
    Tensor,
    Value,
    choice,
    equal,
    is_size,
    options_of,
)
from typedtorch.shapes.infer.values.values import Sequence as SequenceV
from typedtorch.shapes.proofs import Facts, Proofs, common, together
from typedtorch.shapes.python_numbers import number_kind, proven_by, proven_by_any
from typedtorch.shapes.size import Atom, Poly, Size, as_poly, atoms, is_unknown, substitute, without_common


def of_each(values: Sequence[Value], known: Sequence[Facts], joined: Value) -> Value:
    """One of several values, with what is proven by which it is; ``known`` holds where each came about."""
    if any(known) and all(value in (0, 1) and type(value) is int for value in values):
        joined = Scalar("bool")  # ``1 if a == b else 0``
    if isinstance(joined, Scalar):
        asks = frozenset[Atom]().union(*(asked_by(value) for value in values if isinstance(value, Scalar)))
        asks |= _sizes_of(*known)
        if joined.kind != "bool":
            return replace(joined, asks=asks) if asks else joined
        sides = [
            tuple(None if facts is None else together(facts, also) for facts in proven_by(value))
            for value, also in zip(values, known, strict=True)
        ]
        proves = proven_by_any([(then, other) for then, other in sides])
        return replace(joined, proves=proves, asks=asks - _sizes_of(*proves))
    if not any(known) and not any(isinstance(v, Choice) and v.proves for v in values):
        return joined
    if joined == Object("str") and all(isinstance(value, str) for value in values):
        joined = choice(list(dict.fromkeys(values)))
    if any(facts and _is_nothing(value) for value, facts in zip(values, known, strict=True)):
        joined = choice(list(values))
    if not isinstance(joined, Choice):
        return joined
    proofs = tuple(common(_reasons(option, values, known)) for option in joined.options)
    return replace(joined, proves=proofs if any(proofs) else ())


def _is_nothing(value: Value) -> bool:
    """``nn.Sequential()``, which gives what it is given."""
    return isinstance(value, SequenceV) and value.kind == "sequential" and value.items == ()


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
    if type(part) is not type(option):
        return False
    is_sequential = isinstance(part, SequenceV) and part.kind == "sequential"
    return equal(part, option) if is_sequential or isinstance(part, (str, LayerV)) else True


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


def general(value: Choice) -> Value:
    """The option that is left where names are sizes of their own; None where that may be several.

    ``Conv2d(c_in, c_out, 1) if c_in != c_out else Identity()`` is the convolution: the other one is taken
    where two sizes happen to be one.
    """
    left = [o for o, facts in zip(value.options, value.proves, strict=False) if not facts]
    special = [facts for facts in value.proves if facts]
    met = all(any(len(atoms(fact)) > 1 for fact in facts) for facts in special)
    return left[0] if len(left) == 1 and special and met else None


def by_equality(a: Value, b: Value) -> Facts:
    """What is proven by two sizes, or two shapes, being equal.

    >>> from typedtorch.shapes.size import axis
    >>> by_equality((axis("b"), axis("d")), (2, axis("d")))
    (b - 2,)
    """
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return together(*map(by_equality, a, b))
    if not (is_size(a) and is_size(b)):
        return ()
    a, b = without_common(a, b)  # b*c elements against b*d
    difference = a - b
    return () if difference == 0 else (difference,)


_LONGER = "<which axis is longer>"
_ORDERING = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def is_longer(value: Value) -> bool:
    """Whether a bool says which of two axes of a tensor is longer, which is no reason for them to be one."""
    return isinstance(value, Scalar) and value.name == _LONGER


def compared(op: ast.cmpop, a: Value, b: Value, held: Iterable[Value]) -> Scalar:
    """A comparison of which the outcome is not known; ``held`` are the values of variables."""
    if isinstance(op, _ORDERING) and isinstance(a, Poly) and isinstance(b, Poly) and _beside(a, b, held):
        return Scalar("bool", _LONGER)
    a, b = _as_shape(a), _as_shape(b)
    if isinstance(op, (ast.Eq, ast.NotEq)) and (facts := by_equality(a, b)):
        asks = _behind(*_sizes_of(facts))
        return Scalar("bool", asks=asks, proves=(facts, ()) if isinstance(op, ast.Eq) else ((), facts))
    return Scalar("bool", asks=asked_by(a) | asked_by(b))


def _beside(a: Size, b: Size, held: Iterable[Value]) -> bool:
    return any(isinstance(value, Tensor) and {a, b} <= {*value.shape} for value in held)


def _as_shape(value: Value) -> Value:
    """``list(x.shape)`` as a tuple."""
    listed = isinstance(value, SequenceV) and value.kind == "list" and value.items is not None
    return tuple(value.items) if listed else value


def asked_by(value: Value) -> frozenset[Atom]:
    """The sizes of which a value says something: its own, or those that it was made of comparing."""
    if isinstance(value, Scalar):
        return value.asks | _sizes_of(*value.proves)
    if isinstance(value, Choice):
        return _sizes_of(*value.proves)
    if isinstance(value, Poly):
        return atoms(value) | _behind(*atoms(value))
    parts = value if isinstance(value, tuple) else value.items if isinstance(value, SequenceV) else None
    return frozenset[Atom]().union(*map(asked_by, parts or ()))


def computed(value: Value, operands: Iterable[Value]) -> Value:
    """A number that says no more of the sizes it was computed of than that: ``n / t``, ``abs(t - n)``."""
    if not isinstance(value, (Scalar, Poly)):
        return value
    numbers = [v for v in operands if isinstance(v, (Scalar, Poly))]
    if any(value is number for number in numbers):
        return value
    sizes = frozenset(a for number in numbers for a in asked_by(number) if a.kind in ("axis", "int"))
    if isinstance(value, Poly):
        return made_of(value, sizes) if is_unknown(value) else value
    return value if sizes <= value.asks else replace(value, asks=value.asks | sizes)


def made_of(size: Size, sizes: frozenset[Atom]) -> Size:
    """A size, if it is one of which nothing else is known, with a note of what it was computed of.

    >>> from typedtorch.shapes.size import axis, unknown
    >>> number = unknown("?1:2")
    >>> sorted(asked_by(made_of(number, atoms(axis("t"))))), sorted(asked_by(number))
    ([?1:2, t], [?1:2])
    """
    own = atoms(size)
    if not sizes or len(own) != 1:
        return size
    (atom,) = own
    if atom.whole is not None or sizes <= atom.made_of:
        return size
    noted = Atom(atom.kind, atom.name, atom.operands, atom.scope, atom.made_of | sizes)
    return substitute(size, {atom: as_poly(noted)})


def _behind(*sizes: Atom) -> frozenset[Atom]:
    return frozenset[Atom]().union(*(atom.made_of for atom in sizes))


def negated(value: Value) -> Scalar:
    """``not value``, where it is not known."""
    if isinstance(value, Scalar):
        return Scalar("bool", asks=value.asks, proves=value.proves[::-1])
    return Scalar("bool", asks=asked_by(value))


def also(flag: Scalar, if_true: Facts, if_false: Facts) -> Scalar:
    """A bool that proves more than it did."""
    then, other = flag.proves or ((), ())
    return replace(flag, proves=(together(then, if_true), together(other, if_false)))


def all_true(values: Sequence[Value]) -> Scalar:
    """A bool that is true only where each of several is."""
    flags = [value for value in values if isinstance(value, Scalar)]
    then = together(*[flag.proves[0] for flag in flags if flag.proves])
    asks = frozenset[Atom]().union(*map(asked_by, flags)) - _sizes_of(then)
    return Scalar("bool", asks=asks, proves=(then, ()) if then else ())


def any_true(values: Sequence[Value]) -> Scalar:
    """A bool that is true where one of several is."""
    return negated(all_true([negated(value) for value in values]))


def _sizes_of(*several: Facts) -> frozenset[Atom]:
    return frozenset[Atom]().union(*(atoms(fact) for facts in several for fact in facts))


__all__ = [
    "all_true", "also", "any_true", "asked_by", "by_being", "by_equality", "compared", "computed", "general",
    "is_longer", "made_of", "negated", "of_each",
]  # fmt: skip
