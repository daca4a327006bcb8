"""Sizes and labels to try, the likeliest first, where it is not known what a program wants."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

_COUNTERS = ("layer", "depth", "block", "step", "time", "seq", "iter", "num", "n_")
_WIDTHS = ("emb", "dim", "hid", "ctx", "vocab", "state", "inner", "channel", "feat", "head", "position")
_PARTS = ("head", "group", "patch", "window", "kernel", "expert", "kv", "factor", "ratio", "order")
_MOST_GUESSES = 60


def guesses(names: Iterable[str], layers: Iterable[str] = ()) -> Iterator[dict[str, int]]:
    """Sizes for axes without one: powers of two, which divide one another; few layers, small parts.

    >>> next(guesses(("batch", "n_layers", "heads")))
    {'batch': 64, 'n_layers': 4, 'heads': 8}
    """
    named = list(names)
    counters = {*layers, *(n for n in named if _says(n, _COUNTERS) and not _says(n, _WIDTHS))}
    parts = {n for n in named if _says(n, _PARTS)}
    for whole, part in ((64, 8), (64, 4), (16, 4), (16, 16), (8, 8), (64, 64), (128, 2), (7, 3), (3, 3)):
        yield {n: min(whole, 4) if n in counters else part if n in parts else whole for n in named}
    draw = random.Random(0)
    for _ in range(_MOST_GUESSES):
        yield {n: draw.choice((2, 4) if n in counters else (2, 4, 8, 16, 32, 64, 128)) for n in named}


def few(names: Iterable[str]) -> dict[str, int]:
    """Small sizes that divide one another, parts smaller.

    >>> few(("width", "heads"))
    {'width': 16, 'heads': 4}
    """
    return {n: 4 if _says(n, _PARTS) else 16 for n in names}


def pin_sets(axes: tuple[str, ...], sizes: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Axes to keep at their size: those of size 1 together, then one, then two, likely counters first.

    >>> list(pin_sets(("batch", "n_layers"), {"batch": 8, "n_layers": 4}))
    [('n_layers',), ('batch',), ('n_layers', 'batch')]
    """
    ones = tuple(n for n in axes if sizes.get(n) == 1)
    likely = sorted(axes, key=lambda n: not _says(n, _COUNTERS))
    seen: set[frozenset[str]] = {frozenset()}
    for count in (0, 1, 2):
        for chosen in itertools.combinations(likely, count):
            for pinned in (chosen, tuple(dict.fromkeys((*ones, *chosen)))):
                if frozenset(pinned) not in seen:
                    seen.add(frozenset(pinned))
                    yield pinned


def _says(name: str, words: tuple[str, ...]) -> bool:
    return any(word in name for word in words)
