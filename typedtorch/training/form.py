"""Whether what a file says is a state has the form of one: compared before anything is put back.

A file that holds may still have been written by anybody. What it says is taken apart by code that expects
numbers where numbers belong, so the form is looked at first, and every difference is a line.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from typing import Any, TypeGuard

import numpy as np
import torch
from torch import Tensor

_COUNTERS = ("step", "items", "skipped", "rollbacks")
_LARGEST = 1 << 62
_NUMPY_WORDS = 624


def unlike(found: object, here: object, where: str) -> list[str]:
    """Where a plain value has not the form of the one that is here, one line each.

    Numbers (and tensors of one element) are alike, None here may be anything plain, further keys are ignored.

    >>> unlike({"lr": "x", "betas": (0.9, None)}, {"lr": 0.1, "betas": (0.9, 0.99)}, "group 0")
    ["group 0 lr: expected a number, found 'x'", 'group 0 betas 1: expected a number, found None']
    """
    if isinstance(here, Mapping):
        if not isinstance(found, Mapping):
            return [_wrong(where, "names and values", found)]
        missing = [f"{where} {key}: missing" for key in here if key not in found]
        return missing + [
            line for key in here if key in found for line in unlike(found[key], here[key], f"{where} {key}")
        ]
    if isinstance(here, tuple | list):
        if not isinstance(found, tuple | list) or len(found) != len(here):
            return [_wrong(where, f"{len(here)} values", found)]
        pairs = enumerate(zip(found, here, strict=True))
        return [line for i, (a, b) in pairs for line in unlike(a, b, f"{where} {i}")]
    wanted, fits = _kind_of(here)
    return [] if fits(found) else [_wrong(where, wanted, found)]


def _kind_of(here: object) -> tuple[str, Callable[[object], bool]]:
    """What a value of this kind is called, and whether another is one."""
    if here is None:
        return "a plain value", lambda found: found is None or isinstance(found, bool | int | float | str)
    if isinstance(here, bool):
        return "true or false", lambda found: isinstance(found, bool)
    if isinstance(here, int | float | Tensor):
        return "a number", is_number
    if isinstance(here, str):
        return "a text", lambda found: isinstance(found, str)
    return f"a {type(here).__name__}", lambda found: isinstance(found, type(here))


def is_number(found: object) -> bool:
    """A number, or a tensor of one."""
    if isinstance(found, Tensor):
        return found.numel() == 1
    if isinstance(found, float):
        return True
    return type(found) is int and -_LARGEST < found < _LARGEST


def is_count(found: object) -> TypeGuard[int]:
    """A whole number from 0 that a counter can hold."""
    return type(found) is int and 0 <= found < _LARGEST


def counter_problems(counters: object) -> list[str]:
    """What keeps saved counters from being counters."""
    if not isinstance(counters, Mapping):
        return [_wrong("counters", "names and values", counters)]
    return [
        _wrong(f"counters {name}", "a count", counters.get(name))
        for name in _COUNTERS
        if not is_count(counters.get(name))
    ]


def scaler_problems(found: object, here: Mapping[str, Any]) -> list[str]:
    """What keeps a saved loss scale from being one: its factors are above 0, its counts are counts."""
    if not isinstance(found, Mapping):
        return [_wrong("scaler", "names and values", found)]
    problems = []
    for name, mine in here.items():
        value, counts = found.get(name), type(mine) is int
        fits = (
            is_count(value) and value < 1 << 31 if counts else type(value) is float and 0 < value < math.inf
        )
        if not fits:
            problems.append(_wrong(f"scaler {name}", "a count" if counts else "a number above 0", value))
    return problems


def generator_problems(saved: object) -> list[str]:
    """What keeps saved states of random generators from being that; each is tried on one of its own."""
    if not isinstance(saved, list | tuple) or not saved:
        return [_wrong("rng", "the generators of each process", saved)]
    return [
        line
        for i, each in enumerate(saved)
        for line in (
            _generators(each, f"rng {i}")
            if isinstance(each, Mapping)
            else [_wrong(f"rng {i}", "generators", each)]
        )
    ]


def _generators(saved: Mapping[str, Any], where: str) -> list[str]:
    tries: dict[str, Callable[[Any], object]] = {
        "torch": lambda state: torch.Generator().set_state(state.clone()),
        "numpy": _try_numpy,
        "python": lambda state: random.Random().setstate(state),
    }
    problems = []
    for name, attempt in tries.items():
        try:
            attempt(saved[name])
        except Exception as error:  # each library has its own way to refuse
            problems.append(f"{where} {name}: expected a generator's state, {type(error).__name__}: {error}")
    for i, state in enumerate(saved.get("cuda", ())):
        if not isinstance(state, Tensor) or state.dtype is not torch.uint8:
            problems.append(_wrong(f"{where} cuda {i}", "a generator's state", state))
    return problems


def _try_numpy(state: Any) -> None:
    np.random.RandomState().set_state(state)
    position = state["state"]["pos"] if isinstance(state, Mapping) else state[2]
    if not 0 <= position <= _NUMPY_WORDS:  # numpy itself does not look
        raise ValueError(f"a position of {position} in {_NUMPY_WORDS} words")


def _wrong(where: str, wanted: str, found: object) -> str:
    shown = f"a {type(found).__name__}" if isinstance(found, Tensor | Mapping | list | tuple) else repr(found)
    return f"{where}: expected {wanted}, found {shown[:80]}"
