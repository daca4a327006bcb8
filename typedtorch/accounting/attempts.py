"""Which axes to keep at their size and how to choose labels, the most general first.

A label must suit the program: divide where the size divides, stay within a table's rows, be a multiple
of another axis.  What a program wants is not known beforehand, so the likely choices are tried in turn.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

Options = dict[str, Any]
_MOST_TIES = 12


def label_options(axes: tuple[str, ...], sizes: Mapping[str, Any]) -> Iterator[Options]:
    """Ways to choose labels (arguments of :func:`labels.choose`) for axes that are all free.

    >>> next(label_options(("batch",), {"batch": 8}))
    {}
    """
    known = [n for n in axes if isinstance(sizes.get(n), int)]
    unknown = [n for n in axes if n not in known]
    yield {}
    if any(sizes[n] > 64 and sizes[n] % 32 for n in known):
        yield {"alike": True}
    large = [n for n in known if sizes[n] > 2]
    if large:
        yield {"small": frozenset(large)}
        for name in large if len(large) > 1 else ():
            yield {"small": frozenset({name})}
    if unknown:
        yield {"part": 8}
        yield {"part": 2}
    ties = list(_ties(known, unknown, sizes))[:_MOST_TIES]
    for a, b in ties:
        yield {"within": {a: b}, "part": 2} if unknown else {"within": {a: b}}
    yield {"rough": True}
    if unknown:
        yield {"tiny": True}


def _ties(known: list[str], unknown: list[str], sizes: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Pairs of which the first may have to be a multiple of the second."""
    pairs = [(a, b) for a, b in itertools.permutations(known, 2) if sizes[a] % sizes[b] == 0]
    yield from sorted(pairs, key=lambda p: (sizes[p[1]] == 1, sizes[p[0]] == sizes[p[1]]))
    yield from itertools.permutations(unknown, 2)


_COUNTERS = ("layer", "depth", "block", "step", "time", "seq", "iter", "num", "n_")


def pin_sets(axes: tuple[str, ...], sizes: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Axes to keep at their size: those of size 1 together, then one, then two, likely counters first.

    >>> list(pin_sets(("batch", "n_layers"), {"batch": 8, "n_layers": 4}))
    [('n_layers',), ('batch',), ('n_layers', 'batch')]
    """
    ones = tuple(n for n in axes if sizes.get(n) == 1)
    likely = sorted(axes, key=lambda n: not any(word in n for word in _COUNTERS))
    seen: set[frozenset[str]] = {frozenset()}
    for count in (0, 1, 2):
        for chosen in itertools.combinations(likely, count):
            for pinned in (chosen, tuple(dict.fromkeys((*ones, *chosen)))):
                if frozenset(pinned) not in seen:
                    seen.add(frozenset(pinned))
                    yield pinned
