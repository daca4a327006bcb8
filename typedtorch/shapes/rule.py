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

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from typedtorch.shapes.tensor import UNKNOWN, Scalar, ShapeError, Tensor, Undecided, show

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
    return enter_in(RULES, names, flops, sample)


def attribute(*names: str, sample: str = "") -> Callable[[F], F]:
    """Enter what reading an attribute of a tensor gives: a function of the tensor alone."""
    return enter_in(ATTRIBUTES, names, None, sample)


def layer(*names: str, sample: str = "") -> Callable[[F], F]:
    """Enter a module: a function of the constructor's parameters that returns a :class:`Layer`."""
    return enter_in(LAYERS, names, None, sample)


def enter_in(
    table: dict[str, Rule], names: tuple[str, ...], flops: Function | None, sample: str
) -> Callable[[F], F]:
    """A decorator that enters a function in one of the tables under each name.

    Raises:
        ValueError: a name has a rule already.
    """

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
_NOT_MODELLED = (TypeError, AttributeError, ValueError, IndexError, KeyError, ArithmeticError)


def apply(name: str, /, *args: Any, **kwargs: Any) -> Any:
    """Apply the rule of a name; ``UNKNOWN`` where it is undecided.

    Raises:
        ShapeError: torch would refuse.
        KeyError: no rule has this name.
    """
    return call(RULES[name].function, args, kwargs)


def call(function: Function, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Call a rule (or a layer's forward); anything it does not model is ``UNKNOWN``.

    Raises:
        ShapeError: torch would refuse, or make a tensor of a negative size.
    """
    try:
        positional, keywords = spelled(function, args, kwargs)
        if Scalar in map(type, positional) or (keywords and Scalar in map(type, keywords.values())):
            positional, keywords = _without_flags(function, positional, keywords)
        made = function(*positional, **keywords)
    except ShapeError as error:
        if error.code == "dtype" and any(isinstance(v, Tensor) and 0 in v.shape for v in args):
            return UNKNOWN  # where there is nothing to compute many a kernel looks at no dtype
        raise
    except (Undecided, *_NOT_MODELLED):
        return UNKNOWN
    if type(made) is Tensor:
        for entry in made.shape:
            if type(entry) is int and entry < 0:
                raise ShapeError(f"the result would have shape {show(made.shape)}: {entry} is not a size")
    return made


# Other names under which torch takes an argument: numpy's, and those of a single overload.
_SYNONYMS = {
    "axis": "dim", "keepdims": "keepdim", "axis0": "dim0", "axis1": "dim1", "x2": "other",
    "exponent": "other", "values": "other", "split_size": "split_size_or_sections",
    "indices": "indices_or_sections", "sections": "indices_or_sections",
}  # fmt: skip
_FIRST = frozenset({"input", "self"})
Arguments = tuple[tuple[Any, ...], Mapping[str, Any]]


def spelled(function: Function, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Arguments:
    """Arguments under the names that a rule has for them.

    >>> spelled(lambda input, dim=0: ..., (), {"self": 1, "axis": 2})
    ((), {'input': 1, 'dim': 2})
    >>> spelled(lambda self, *size: ..., (1,), {"size": (2, 3)})
    ((1, (2, 3)), {})
    >>> spelled(lambda *size: ..., (), {"size": (2, 3)})
    (((2, 3),), {})
    """
    if not kwargs:
        return args, kwargs
    named, first, several = _parameters(function)
    if kwargs.keys() <= named:
        return args, kwargs
    found: dict[str, Any] = {}
    for key, value in kwargs.items():
        if key in named:
            found[key] = value
        elif key in _FIRST and not args:
            found[first] = value
        else:
            found[_SYNONYMS[key] if _SYNONYMS.get(key) in named else key] = value
    if "out" in found and "out" not in named:
        del found["out"]  # where the result is put does not change its shape
    if several in found:
        before = args or ((found.pop(first, UNKNOWN),) if first else ())
        args = (*before, found.pop(several))
    return args, found


def _without_flags(function: Function, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Arguments:
    """Where a parameter is a flag, a bool of unknown value is simply unknown; elsewhere it is an operand."""
    flags, places = _flags(function)
    given = {k: UNKNOWN if k in flags and isinstance(v, Scalar) else v for k, v in kwargs.items()}
    return tuple(UNKNOWN if isinstance(v, Scalar) and i in places else v for i, v in enumerate(args)), given


@functools.lru_cache(maxsize=4096)
def _flags(function: Function) -> tuple[frozenset[str], frozenset[int]]:
    """The parameters whose default is True or False: their names, and the places of those that have one."""
    parameters = list(inspect.signature(function).parameters.values())
    flags = {i: p for i, p in enumerate(parameters) if isinstance(p.default, bool)}
    placed = frozenset(i for i, p in flags.items() if p.kind is p.POSITIONAL_OR_KEYWORD)
    return frozenset(p.name for p in flags.values()), placed


@functools.lru_cache(maxsize=4096)
def _parameters(function: Function) -> tuple[frozenset[str], str, str]:
    """Names that a call may give, the first of all, and that of any number of positional arguments."""
    parameters = inspect.signature(function).parameters.values()
    named = frozenset(p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY))
    first = next((p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD), "")
    return named, first, next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), "")


def name(tensor: Any, fallback: str) -> str:
    """The operand as the user wrote it, or the parameter's name."""
    return tensor.label if isinstance(tensor, Tensor) and tensor.label else fallback
