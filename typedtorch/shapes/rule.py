"""The rule table: for each public callable of torch and einops, what shape and dtype come out.

A rule is a function with the operator's own parameter names, order and defaults, over
:class:`~typedtorch.shapes.tensor.Tensor`, sizes (``int`` or ``Poly``), strings, bools, floats,
``Scalar``, ``None``, ``Dtype``, slices, tuples and lists of these, and ``UNKNOWN``.
It returns such a value (a tensor, a tuple, a :class:`Record`), raises ``ShapeError`` where torch
would refuse, or ``Undecided``.  Using ``UNKNOWN`` raises ``Undecided`` by itself.

>>> from typedtorch.shapes.size import axis
>>> @rule("example.outer")
... def outer(input: Tensor, vec2: Tensor) -> Tensor:
...     return input.of((*input.sizes(), *vec2.sizes()))
>>> str(apply("example.outer", Tensor((axis("n"),)), Tensor((3,))))
'(n, 3)'
>>> _ = RULES.pop("example.outer")
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from typedtorch.shapes.tensor import UNKNOWN, ShapeError, Tensor, Undecided

Function = Callable[..., Any]
F = TypeVar("F", bound=Function)


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of the table.

    ``flops`` takes the same arguments and counts floating point operations.  ``sample`` says which
    arguments make sense, for the property tests over the whole table (``tests/shapes/sampling.py``
    documents its little language); empty where the parameters' names say it all.
    """

    name: str
    function: Function
    signature: inspect.Signature
    flops: Function | None = None
    sample: str = ""


@dataclass(frozen=True)
class Layer:
    """What a module's constructor makes: its ``forward`` as a function of tensors, its attributes."""

    forward: Function
    attributes: Mapping[str, Any] = field(default_factory=dict)


class Record(tuple[Any, ...]):
    """A tuple whose items also have names: the result of ``torch.max(x, dim)`` and its like."""

    names: tuple[str, ...]

    def __new__(cls, **fields: Any) -> Record:
        record = super().__new__(cls, tuple(fields.values()))
        record.names = tuple(fields)
        return record


class Packed(Record):
    """A ``PackedSequence``: a named tuple with methods of its own, such as ``to``."""


class Fields(tuple[Any, ...]):
    """A NamedTuple, or what an annotation without shapes declares: a type checker tells it from a tensor."""


def like(value: tuple[Any, ...], parts: Iterable[Any]) -> tuple[Any, ...]:
    """The parts as a tuple of the same kind: what a type checker tells from a tensor stays so."""
    return Fields(parts) if isinstance(value, Fields) else tuple(parts)


def tuple_text(value: tuple[Any, ...]) -> str:
    """What a tuple is called in a message: by its names where it has them."""
    return f"a tuple ({', '.join(value.names)})" if isinstance(value, Record) else f"a tuple of {len(value)}"


@dataclass(frozen=True, slots=True)
class Lint:
    """Something legal that is almost certainly not meant."""

    code: str
    message: str
    hint: str | None = None


RULES: dict[str, Rule] = {}
LAYERS: dict[str, Rule] = {}
ATTRIBUTES: dict[str, Rule] = {}
_lints: list[Lint] = []


def rule(*names: str, flops: Function | None = None, sample: str = "") -> Callable[[F], F]:
    """Enter a function in the table under one or more public names.

    Raises:
        ValueError: a name has a rule already.
    """
    return _enter(RULES, names, flops, sample)


def attribute(*names: str, sample: str = "") -> Callable[[F], F]:
    """Enter what reading an attribute of a tensor gives: a function of the tensor alone."""
    return _enter(ATTRIBUTES, names, None, sample)


def layer(*names: str, sample: str = "") -> Callable[[F], F]:
    """Enter a module: a function of the constructor's parameters that returns a :class:`Layer`."""
    return _enter(LAYERS, names, None, sample)


def _enter(
    table: dict[str, Rule], names: tuple[str, ...], flops: Function | None, sample: str
) -> Callable[[F], F]:
    def enter(function: F) -> F:
        signature = inspect.signature(function)
        for name in names:
            if name in table:
                raise ValueError(f"{name} has a rule already, in {table[name].function.__module__}")
            table[name] = Rule(name, function, signature, flops, sample)
        return function

    return enter


def warn(code: str, message: str, hint: str | None = None) -> None:
    """Report a lint from inside a rule; the call's result stands."""
    _lints.append(Lint(code, message, hint))


class lints:
    """Collect what rules warn about inside the block."""

    __slots__ = ("_outer",)

    def __enter__(self) -> list[Lint]:
        global _lints
        self._outer, _lints = _lints, []
        return _lints

    def __exit__(self, *_: object) -> None:
        global _lints  # noqa: PLW0603 - rules run one at a time; a parameter would go through every rule
        _lints = self._outer


# What goes wrong inside a rule that was handed values of a kind it does not model.
_NOT_MODELLED = (TypeError, AttributeError, ValueError, IndexError, KeyError, ZeroDivisionError)


def apply(name: str, /, *args: Any, **kwargs: Any) -> Any:
    """Apply the rule of a name; ``UNKNOWN`` where it is undecided.

    Raises:
        ShapeError: torch would refuse.
        KeyError: no rule has this name.
    """
    return call(RULES[name].function, args, kwargs)


def call(function: Function, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Call a rule (or a layer's forward); anything it does not model is ``UNKNOWN``."""
    try:
        return function(*args, **spelled(function, kwargs))
    except ShapeError:
        raise
    except (Undecided, *_NOT_MODELLED):
        return UNKNOWN


_NUMPY_SPELLING = {"axis": "dim", "keepdims": "keepdim"}


def spelled(function: Function, kwargs: Mapping[str, Any]) -> Mapping[str, Any]:
    """Keywords in torch's own spelling: it takes ``axis`` for ``dim`` and ``keepdims`` for ``keepdim``."""
    if kwargs.keys().isdisjoint(_NUMPY_SPELLING):
        return kwargs
    known = inspect.signature(function).parameters
    return {
        _NUMPY_SPELLING[k] if k not in known and _NUMPY_SPELLING.get(k) in known else k: v
        for k, v in kwargs.items()
    }


def name(tensor: Any, fallback: str) -> str:
    """The operand as the user wrote it, or the parameter's name."""
    return tensor.label if isinstance(tensor, Tensor) and tensor.label else fallback
