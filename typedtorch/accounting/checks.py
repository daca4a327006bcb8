"""Refusals of arguments: each says what was wanted, what came and where."""

from __future__ import annotations

import difflib
import math
import operator
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

from typedtorch.accounting.errors import AccountingError, SizeError

_LARGEST = 2**63 - 1  # torch counts elements in 64 bits


def meant(name: object, known: Iterable[str]) -> str:
    """A question for a name that is nearly right; empty where none is near.

    >>> meant("sgdm", ["sgd", "adam"]), meant("x", ["sgd"])
    ("did you mean 'sgd'? ", '')
    """
    if not isinstance(name, str):
        return ""
    spelt = {each.lower(): each for each in known}
    near = [spelt[n] for n in difflib.get_close_matches(name.lower(), spelt, n=1)]
    return f"did you mean {near[0]!r}? " if near and near[0] != name else ""


def shown(value: object) -> str:
    """A value as an error shows it: short, and of what type where that is not seen.

    >>> import torch
    >>> shown("8"), shown(2.5), shown(torch.ones(2, 3))
    ("'8'", '2.5', 'a Tensor of shape (2, 3)')
    """
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and shape:
        return f"a {type(value).__name__} of shape {tuple(shape)}"
    text = repr(value)
    return text if len(text) <= 60 else f"a {type(value).__name__}"


def whole(value: Any) -> int | None:
    """An integer that a size may be, as Python's; None for anything else, a bool or a tensor of several too.

    >>> whole(8), whole(2.0), whole(True), whole("8")
    (8, None, None, None)
    """
    if isinstance(value, bool):
        return None
    try:
        found = operator.index(value)
    except (TypeError, ValueError):
        return None
    return found


def counts(where: str, **numbers: Any) -> None:
    """Refuse what is no integer of at least 1.

    Raises:
        AccountingError: naming the number.

    >>> counts("sharded", world=2.5)
    Traceback (most recent call last):
    typedtorch.accounting.errors.AccountingError: sharded: wanted world as an integer of at least 1, got 2.5
    """
    for name, value in numbers.items():
        found = whole(value)
        if found is None or found < 1:
            raise AccountingError(f"{where}: wanted {name} as an integer of at least 1, got {shown(value)}")


def above_zero(where: str, **numbers: Any) -> None:
    """Refuse what is no finite number above zero.

    Raises:
        AccountingError: naming the number.
    """
    for name, value in numbers.items():
        number = isinstance(value, Real) and not isinstance(value, bool)
        if not (number and value > 0 and math.isfinite(value)):
            raise AccountingError(f"{where}: wanted {name} above zero, got {shown(value)}")


def share(where: str, **numbers: Any) -> None:
    """Refuse what is no share of a whole: above zero and at most 1.

    Raises:
        AccountingError: naming the number.
    """
    above_zero(where, **numbers)
    for name, value in numbers.items():
        if value > 1:
            raise AccountingError(f"{where}: wanted {name} as a share, at most 1, got {shown(value)}")


def one_of(where: str, value: object, known: Iterable[str]) -> None:
    """Refuse a name that is none of those known.

    Raises:
        AccountingError: with the names there are, the nearest first.
    """
    names = list(known)
    if not isinstance(value, str) or value not in names:
        raise AccountingError(
            f"{where}: {meant(value, names)}wanted one of {', '.join(map(repr, names))}, got {shown(value)}"
        )


def validated(given: Mapping[str, Any]) -> dict[str, int | tuple[int, ...]]:
    """Sizes as integers of at least 1.

    Raises:
        SizeError: naming the axis.

    >>> validated({"batch": 8})
    {'batch': 8}
    """
    sizes: dict[str, int | tuple[int, ...]] = {}
    for name, size in given.items():
        parts = tuple(_size(name, part) for part in (size if isinstance(size, tuple) else (size,)))
        sizes[name] = parts if isinstance(size, tuple) else parts[0]
    return sizes


def _size(name: str, given: Any) -> int:
    found = whole(given)
    if found is None:
        several = " (a tuple where the name stands for several axes)" if isinstance(given, list) else ""
        raise SizeError(f"axis {name!r}: wanted an integer size{several}, got {shown(given)}")
    if found < 1:
        raise SizeError(f"axis {name!r}: wanted a size of at least 1, got {found}")
    if found > _LARGEST:
        raise SizeError(f"axis {name!r}: wanted a size below 2**63, got {found}")
    return found


def sizes_of(sizes: Any, axes: Mapping[str, Any]) -> dict[str, Any]:
    """The sizes of both ways to give them.

    Raises:
        AccountingError: ``sizes`` is no mapping of names.
    """
    if sizes is None:
        return dict(axes)
    if not isinstance(sizes, Mapping) or not all(isinstance(name, str) for name in sizes):
        raise AccountingError(
            f"sizes={shown(sizes)}: wanted a mapping of axis names to sizes, as {{'batch': 8, 'seq': 1024}}"
        )
    twice = [n for n in axes if n in sizes and sizes[n] != axes[n]]
    if twice:
        name = twice[0]
        raise AccountingError(
            f"axis {name!r} is {shown(sizes[name])} in sizes= and {name}={shown(axes[name])}"
        )
    return {**sizes, **axes}
