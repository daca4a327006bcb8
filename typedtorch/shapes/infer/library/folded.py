"""Python's own functions of values that are known outright: the function itself tells what it gives.

``int(math.sqrt(196))``, ``divmod(7, 2)``, ``sorted([3, 1, 2])``, ``"bhwc".index("c")``: whatever is a number,
a text or a list of such goes in as it is.  Where one argument is not known, nothing is folded.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from typedtorch.shapes.infer.calls.binding import Args
from typedtorch.shapes.infer.values.values import UNKNOWN, DictV, Sequence, Value

NOT_FOLDED = UNKNOWN  # no function of Python gives it
LONGEST = 64  # items of a result
_LONGEST_TEXT = 1000
_WIDE = re.compile(r"\d{4,}")  # "%10000d"
_LARGEST = 10**12  # a factor or a base
_PLAIN = frozenset[type]({int, float, bool, str, type(None)})


class _NotPlainError(Exception):
    """A value that is not known outright."""


def call(name: str, args: Args) -> Value:
    """What a function gives; :data:`NOT_FOLDED` where that is not known."""
    function = _FUNCTIONS.get(name)
    return NOT_FOLDED if function is None or args.open else _folded(function, args.values, args.keywords)


def method(receiver: Value, name: str, args: Args) -> Value:
    """What a method of a text, a list or a tuple gives, if it is one that changes nothing."""
    if args.open or name not in (_OF_TEXT if isinstance(receiver, str) else _OF_ITEMS):
        return NOT_FOLDED
    return _folded(_methods(name), [receiver, *args.values], args.keywords)


def operator(name: str, left: Value, right: Value) -> Value:
    """What ``*`` or ``%`` makes of two values of which one is a text, or ``format`` of a value and how."""
    return _folded(_OPERATORS[name], (left, right), {})


def plain_list(values: Iterable[Value]) -> list[Any] | None:
    """The values where each of them is known outright."""
    try:
        return list(map(_plain, values))
    except _NotPlainError:
        return None


def _methods(name: str) -> Callable[..., Any]:
    def called(receiver: Any, *values: Any, **keywords: Any) -> Any:
        if name in _PADDING:
            _short(values[0])
        elif name == "format":
            _narrow(receiver)
        return getattr(receiver, name)(*values, **keywords)

    return called


def _folded(function: Callable[..., Any], values: Iterable[Value], keywords: Mapping[str, Value]) -> Value:
    try:
        made = function(*map(_plain, values), **{k: _plain(v) for k, v in keywords.items()})
        return _value(made)
    except (_NotPlainError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return NOT_FOLDED


def _plain(value: Value) -> Any:
    if type(value) in _PLAIN:
        return value
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    if isinstance(value, Sequence) and value.items is not None and value.kind in _KINDS:
        return list(map(_plain, value.items))
    if isinstance(value, DictV) and value.rest is None and value.kind == "dict":
        return {key: _plain(item) for key, item in value.items.items()}
    raise _NotPlainError


_KINDS = frozenset({"list", "view", "iterator"})


def _value(made: Any) -> Value:
    if type(made) in _PLAIN:
        if isinstance(made, str) and len(made) > _LONGEST_TEXT:
            raise _NotPlainError
        return made
    if isinstance(made, tuple):
        return tuple(map(_value, made))
    if isinstance(made, list):
        return Sequence("list", tuple(map(_value, made)))
    if isinstance(made, _Given):
        return Sequence("iterator", tuple(map(_value, made.items)))
    raise _NotPlainError


# -- functions --------------------------------------------------------------------------------


def _small(*numbers: Any) -> None:
    """Numbers that a program may compute with while it is only read."""
    if any(isinstance(n, int) and abs(n) > _LARGEST for n in numbers):
        raise _NotPlainError


def _short(*values: Any) -> None:
    """How long a text is to be."""
    if any(isinstance(n, int) and n > _LONGEST_TEXT for n in values):
        raise _NotPlainError


def _narrow(form: str) -> None:
    """How a value is to be written."""
    if _WIDE.search(form):
        raise _NotPlainError


def _times(left: Any, right: Any) -> Any:
    _short(left, right)
    return left * right


def _percent(left: Any, right: Any) -> Any:
    _narrow(left)
    return left % right


def _formatted(value: Any, form: str) -> str:
    _narrow(form)
    return format(value, form)


def _power(base: Any, exponent: Any, modulus: Any = None) -> Any:
    _small(base)
    if isinstance(exponent, int) and abs(exponent) > LONGEST:
        raise _NotPlainError
    return pow(base, exponent, modulus)


def _of_small(function: Callable[..., Any]) -> Callable[..., Any]:
    def called(*numbers: Any) -> Any:
        if any(isinstance(n, int) and abs(n) > LONGEST for n in numbers):
            raise _NotPlainError
        return function(*numbers)

    return called


@dataclass(frozen=True)
class _Given:
    """What an iterator gives."""

    items: tuple[Any, ...]


def _some(function: Callable[..., Iterable[Any]]) -> Callable[..., Any]:
    """The items that a function of ``itertools`` gives, where they are few."""

    def called(*values: Any, **keywords: Any) -> Any:
        items = tuple(itertools.islice(function(*values, **keywords), LONGEST + 1))
        if len(items) > LONGEST:
            raise _NotPlainError
        return _Given(items)

    return called


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "builtins.divmod": divmod, "builtins.pow": _power, "builtins.ord": ord, "builtins.chr": chr,
    "builtins.sorted": sorted, "builtins.any": any, "builtins.all": all, "builtins.max": max,
    "builtins.min": min, "builtins.int": int, "builtins.float": float, "builtins.round": round,
    "math.pow": math.pow, "math.comb": _of_small(math.comb), "math.factorial": _of_small(math.factorial),
    **{f"math.{f.__name__}": f for f in (
        math.sqrt, math.isqrt, math.gcd, math.lcm, math.log, math.log2, math.log10, math.exp, math.cos,
        math.sin, math.tan, math.tanh, math.floor, math.ceil, math.trunc, math.hypot, math.copysign,
    )},
    **{f"itertools.{f.__name__}": _some(f) for f in (
        itertools.product, itertools.combinations, itertools.permutations, itertools.accumulate,
        itertools.combinations_with_replacement,
    )},
}  # fmt: skip
_OPERATORS = {"*": _times, "%": _percent, "format": _formatted}
_OF_TEXT = frozenset({
    "capitalize", "casefold", "center", "count", "endswith", "find", "format", "index", "isalnum", "isalpha",
    "isdecimal", "isdigit", "isidentifier", "islower", "isnumeric", "isspace", "istitle", "isupper", "join",
    "ljust", "lower", "lstrip", "partition", "removeprefix", "removesuffix", "replace", "rfind", "rindex",
    "rjust", "rpartition", "rsplit", "rstrip", "split", "splitlines", "startswith", "strip", "swapcase",
    "title", "upper", "zfill",
})  # fmt: skip
_PADDING = frozenset({"center", "ljust", "rjust", "zfill"})
_OF_ITEMS = frozenset({"count", "index"})

__all__ = ["NOT_FOLDED", "call", "method", "operator", "plain_list"]
