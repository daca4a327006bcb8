"""From which size to which a formula holds, where a program branches on a size (``if seq > 512``,
``x[:, -window:]``, rounds that double).

Sizes far below and far above those the formula was found at are tried, all axes at once first; where it is
wrong there, the last size at which it is right is found by halving what lies between.  That is exact where it
changes once on the way.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

Sizes = Mapping[str, int]
_LARGE, _SMALL, _MODEST = 2**20, 2, 4096
_FACTORS = (1024, 64, 2)
_PARTS = 1 << 10  # of the way to sizes that only do harm together
_TURNS = 16  # layers or turns of a loop that are few


class Ranges:
    """The least and the largest sizes at which a formula is right, of the axes that have one.

    ``runs`` and ``wrong`` tell of any sizes; the formula is right at ``start``.  Every size is a multiple of
    what ``steps`` says; ``more`` are further sizes to try.
    """

    def __init__(
        self,
        runs: Callable[[Sizes], bool],
        wrong: Callable[[Sizes], bool],
        start: Sizes,
        axes: tuple[str, ...],
        inputs: tuple[str, ...],
        *,
        counters: Collection[str] = (),
        steps: Mapping[str, int],
        more: Iterable[Sizes] = (),
    ) -> None:
        self._runs, self._wrong, self._start, self._steps = runs, wrong, start, steps
        self._more = tuple(more)
        self._counters = tuple(n for n in axes if n in counters)
        self._wide = tuple(n for n in axes if n not in counters)
        self._inputs = tuple(n for n in inputs if n not in counters)

    @functools.cached_property
    def low(self) -> dict[str, int]:
        """The least size of every axis that may not be smaller."""
        return self._ends(self._smaller, max)

    @functools.cached_property
    def high(self) -> dict[str, int]:
        """The largest size of every axis that may not be larger."""
        return self._ends(self._larger, min)

    def _ends(
        self, sizes: Callable[[str], tuple[int, ...]], nearest: Callable[[int, int], int]
    ) -> dict[str, int]:
        found: dict[str, int] = {}
        for name, end in self._found(sizes):
            found[name] = nearest(end, found.get(name, end))
        return found

    def _found(self, sizes: Callable[[str], tuple[int, ...]]) -> Iterator[tuple[str, int]]:
        """Axes with the last size at which the formula is right, on the way to other sizes."""
        for axes in dict.fromkeys((self._inputs, self._wide)):
            there = {n: sizes(n)[0] for n in axes if sizes(n)}
            if there and self._runs({**self._start, **there}):
                yield from self._blamed(there)
            else:
                yield from self._alone(axes, sizes)
        yield from self._alone(self._counters, sizes)
        for point in self._more:
            there = self._beyond(point, larger=sizes == self._larger)
            if there and self._runs({**self._start, **there}):
                yield from self._blamed(there)

    def _beyond(self, point: Sizes, *, larger: bool) -> dict[str, int]:
        """What of a point to try: smaller sizes, and larger ones of what may count turns only together."""
        if larger:
            return {n: s for n, s in point.items() if n in self._counters and s > self._start[n]}
        return {n: s for n, s in point.items() if n in self._wide and s < self._start[n]}

    def _alone(
        self, axes: tuple[str, ...], sizes: Callable[[str], tuple[int, ...]]
    ) -> Iterator[tuple[str, int]]:
        """One axis after the other, each at the first of its sizes at which the program runs."""
        for name in axes:
            there = next((s for s in sizes(name) if self._runs({**self._start, name: s})), None)
            if there is not None and self._wrong({**self._start, name: there}):
                yield name, self._end(name, there)

    def _blamed(self, there: Sizes) -> Iterator[tuple[str, int]]:
        """The axes that make the formula wrong at some sizes: alone, or else as few as do together."""
        if not self._wrong({**self._start, **there}):
            return
        alone = [n for n in there if self._wrong({**self._start, n: there[n]})]
        for name in alone:
            yield name, self._end(name, there[name])
        rest = [n for n in there if n not in alone]

        def wrong(names: list[str]) -> bool:
            return self._wrong({**self._start, **{n: there[n] for n in names}})

        together = fewest(rest, wrong)
        if together:
            yield from self._along({n: there[n] for n in together}).items()

    def _end(self, name: str, there: int) -> int:
        """The last size before ``there`` at which the formula is right."""
        right, bad = self._start[name], there
        while True:
            middle = next((s for s in self._between(name, right, bad) if self._run(name, s)), None)
            if middle is None:
                return right
            if self._wrong({**self._start, name: middle}):
                bad = middle
            else:
                right = middle

    def _run(self, name: str, size: int) -> bool:
        return self._runs({**self._start, name: size})

    def _between(self, name: str, right: int, bad: int) -> Iterator[int]:
        """Sizes between two, the middle first, then those near it that more numbers divide."""
        least, most, middle = min(right, bad), max(right, bad), (right + bad) // 2
        step = self._steps.get(name, 1)
        for part in dict.fromkeys(step * k for k in (1, 2, 3, 4, 8, 16, 32, 64)):
            for size in (middle // part * part, (middle // part + 1) * part):
                if least < size < most:
                    yield size

    def _along(self, there: Sizes) -> dict[str, int]:
        """The last sizes on the straight way to others at which the formula is right."""
        right, bad = 0, _PARTS

        def at(part: int) -> dict[str, int]:
            return {n: self._start[n] + (s - self._start[n]) * part // _PARTS for n, s in there.items()}

        while bad - right > 1:
            middle = (right + bad) // 2
            sizes = {**self._start, **at(middle)}
            if not self._runs(sizes) or self._wrong(sizes):
                bad = middle
            else:
                right = middle
        return at(right)

    def _larger(self, name: str) -> tuple[int, ...]:
        """Larger sizes of an axis to try, the largest first; what a constructor is given stays modest."""
        size = self._start[name]
        if name in self._counters:
            return tuple(dict.fromkeys((max(2 * size, _TURNS), 2 * size)))
        most = _LARGE if name in self._inputs else _MODEST
        return tuple(f * size for f in _FACTORS if f * size <= most or f == _FACTORS[-1])

    def _smaller(self, name: str) -> tuple[int, ...]:
        """Smaller sizes likewise, the smallest first; what a constructor is given is only halved evenly."""
        size, step = self._start[name], self._steps.get(name, 1)
        parts = {size // 2**k // step * step for k in range(1, size.bit_length())}
        halves = []
        while size % (2 * step) == 0 and size > _SMALL:
            size //= 2
            halves.append(size)
        least = next((s for s in (step, 2 * step) if s >= _SMALL), step)
        inputs = [least, *sorted(s for s in parts if s > least)]
        wanted = halves[::-1] if name in self._wide and name not in self._inputs else inputs
        return tuple(dict.fromkeys(s for s in wanted if s < self._start[name]))


def fewest(axes: list[str], wrong: Callable[[list[str]], bool]) -> tuple[str, ...]:
    """Of axes that do no harm alone as few as do together.

    >>> fewest(["a", "b", "c"], lambda names: {"a", "c"} <= set(names))
    ('a', 'c')
    """
    if not axes or not wrong(axes):
        return ()
    for name in list(axes):
        fewer = [n for n in axes if n != name]
        axes = fewer if fewer and wrong(fewer) else axes
    return tuple(axes)
