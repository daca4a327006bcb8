"""Prime labels: give every axis a size no other can be mistaken for, and read sizes back as polynomials.

A size seen while the program runs at the labels is factored into them; what the factors leave must be
a constant, or a constant plus one monomial (``seq + 1``).  Every reading is checked against the same
size in a second run at other sizes, so a coincidence in one of them cannot pass.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from typedtorch.accounting.errors import SymbolError

_PRIMES = [p for p in range(11, 4000) if all(p % q for q in range(2, int(p**0.5) + 1))]
# what a product of axes is multiplied by, and what is added, in sizes that are read
SIMPLE = frozenset(Fraction(a, b) for a in range(1, 13) for b in (1, 2, 3, 4, 6, 8, 12, 16, 32, 64))
LARGEST_OFFSET = 64

_MOST_SHUFFLES = 200

# the prime of an axis: none, a large one, the largest that keeps the label below the size ("small"), one of
# the least ("tiny"), one with which the label leaves the remainder of the size when divided by 64, so that
# halves are rounded as its are ("alike"), one with which it leaves 1, so that halves are rounded up ("above")
Prime = Literal["none", "large", "small", "tiny", "alike", "above"]


@dataclass(frozen=True)
class Place:
    """How the label of an axis is made: ``factor``, a prime of its own, the labels it is a multiple of."""

    factor: int
    within: tuple[str, ...] = ()
    prime: Prime = "large"


Layout = Mapping[str, Place]


@dataclass(frozen=True)
class Labels:
    """``values`` are the sizes axes get; ``primes`` the prime of each that no other label starts from.

    A label may be a multiple of others (``d_model`` of ``heads``): ``within`` says of which.  One without a
    prime is their product, and is not read back.
    """

    values: Mapping[str, int]
    primes: Mapping[str, int]
    within: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def order(self) -> list[str]:
        """Multiples first, so that what they contain is taken out before the rest is counted."""
        return [name for name in _inside_first(self.values, self.within)[::-1] if name in self.primes]


def _inside_first(names: Iterable[str], within: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Every name after those it is a multiple of."""
    found: dict[str, None] = {}

    def visit(name: str) -> None:
        for inner in within.get(name, ()):
            visit(inner)
        found[name] = None

    for name in names:
        if name not in found:
            visit(name)
    return list(found)


def smooth_part(size: int, limit: int = 64) -> int:
    """The part of a size made of twos and threes, so that a label divides as the size did.

    >>> smooth_part(96), smooth_part(50), smooth_part(1)
    (32, 2, 1)
    """
    part = 1
    while size % 2 == 0 and part < limit:
        size, part = size // 2, part * 2
    if size % 3 == 0 and part == 1:
        part = 3
    return part


def choose(
    sizes: Mapping[str, int], *, layout: Layout | None = None, avoid: Iterable[int] = (), turn: int = 0
) -> Labels:
    """Labels for axes of these sizes: by the layout, or each a prime times the smooth part of its size.

    The largest sizes get the smallest primes; ``turn`` 1 and 2 give every axis another one, so that no axis
    can be taken for a sum of another and a small number.

    >>> choose({"heads": 4, "dim": 48}, layout={"heads": Place(4), "dim": Place(4, ("heads",))}).values
    {'heads': 116, 'dim': 10672}
    """
    places = layout or {name: Place(smooth_part(size)) for name, size in sizes.items()}
    within = {name: tuple(n for n in places[name].within if n in sizes) for name in sizes}
    taken = _factors(avoid)
    pools = _pools(sizes, places, taken)
    names = sorted(sizes, key=lambda n: -sizes[n])
    first = _placed(sizes, places, within, pools, taken, names, 0)
    if not turn:
        return first
    shuffled = random.Random(turn)
    best, least = first, len(sizes) ** 3
    for _ in range(_MOST_SHUFFLES):
        found = _placed(sizes, places, within, pools, taken, names, turn)
        confused = _confused(first, found)
        if confused < least:
            best, least = found, confused
        if not least:
            break
        shuffled.shuffle(names)
    return best


def _factors(sizes: Iterable[int]) -> set[int]:
    """The primes that divide one of some sizes."""
    return {p for n in set(sizes) for p in _PRIMES if n % p == 0}


def _pools(sizes: Mapping[str, int], places: Layout, taken: set[int]) -> dict[Prime, list[int]]:
    """The primes that are given out, in whatever order."""
    own = _factors(sizes.values())  # no label is the size itself, which would read as a constant
    large = [p for p in _PRIMES if p > 19 and p not in taken | own][: len(sizes) + 3]
    same = {sizes[n] / places[n].factor for n in sizes if places[n].prime == "tiny"}
    tiny = [p for p in (5, 7, *_PRIMES) if p not in taken | same and p not in large]
    count = {kind: sum(places[n].prime == kind for n in sizes) for kind in ("large", "tiny")}
    return {"large": large[: count["large"] + 2], "tiny": tiny[: count["tiny"] + 1]}  # of a bounded size


def _placed(
    sizes: Mapping[str, int],
    places: Layout,
    within: Mapping[str, tuple[str, ...]],
    pools: Mapping[Prime, list[int]],
    taken: set[int],
    names: list[str],
    turn: int,
) -> Labels:
    """Labels whose primes are given out in the order of the names."""
    ranks: dict[str, int] = {}
    for kind in pools:
        mine = [n for n in names if places[n].prime == kind]
        ranks.update({n: rank + turn for rank, n in enumerate(mine)})
    values: dict[str, int] = {}
    primes: dict[str, int] = {}
    for name in _inside_first(sizes, within):
        place, size = places[name], sizes[name]
        factor, prime = place.factor, 1
        if place.prime == "small":
            prime = _largest(size // factor, set(primes.values()), turn)
        elif place.prime in ("alike", "above"):
            same = size if place.prime == "alike" else 1
            factor, prime = _alike(same, taken | set(primes.values()), turn)
        elif place.prime != "none":
            prime = pools[place.prime][ranks[name] % len(pools[place.prime])]
        if place.prime != "none":
            primes[name] = prime
        values[name] = factor * prime * math.prod(values[n] for n in within[name])
    return Labels(values, primes, within)


def _confused(first: Labels, second: Labels) -> int:
    """How often an axis has its prime again, or is twice a simple multiple of another and a small number."""
    same = sum(first.primes[n] == second.primes[n] for n in first.primes)
    count = same * len(first.primes) ** 2
    for a, b in itertools.permutations(first.primes, 2):
        rise, run = first.values[a] - second.values[a], first.values[b] - second.values[b]
        if run and abs(first.values[a] * run - rise * first.values[b]) <= abs(run) * 2 * LARGEST_OFFSET:
            count += Fraction(rise, run) in SIMPLE
    return count


def _alike(size: int, taken: set[int], turn: int) -> tuple[int, int]:
    """A power of two and a prime whose product leaves what the size leaves, divided by 64.

    >>> [a * p % 64 for a, p in (_alike(225, set(), 0), _alike(200, set(), 1), _alike(128, set(), 0))]
    [33, 8, 0]
    """
    factor = min(size & -size, 64)
    wanted = size // factor % (64 // factor)
    alike = [p for p in _PRIMES if p > 31 and p not in taken and p % (64 // factor) == wanted]
    return factor, alike[(turn * len(taken) + turn) % len(alike)]


def _largest(size: int, taken: set[int], turn: int) -> int:
    """The largest free prime below a size; another one for a second and a third set where there are more.

    Raises:
        SymbolError: no prime is left.
    """
    free = [p for p in (2, 3, 5, 7, *_PRIMES) if p < size and p not in taken]
    if free:
        return free[-1 - min(turn, len(free) - 1)]
    raise SymbolError(f"no label fits below {size}")
