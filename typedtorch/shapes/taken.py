"""Slices whose lengths were taken at the word of a bound, and axes that were padded, in one body.

``x[:m]`` has ``m`` elements where ``x`` has as many, and that is meant nearly always.  What tells that it
is not: ``y[:n]`` of an axis of ``m`` beside it, where each is cut to the other's length; a call with
numbers of which the axis is the smaller; and an assertion on the last of several windows.

An axis that is padded up to a multiple, ``F.pad(x, (0, -t % w))``, may be as long as before.  Who pads
it writes for the sizes of which it is not; only what is asked of sizes later may tell the two apart.

>>> from typedtorch.shapes.size import axis
>>> with noting() as noted:
...     note(axis("n"), slice(None, axis("m")), axis("m"))
...     crossed(axis("m"), axis("n")), crossed(axis("n"), axis("m"))
(True, False)
>>> t, w = axis("t"), axis("w")
>>> with noting():
...     pad(t, t + -t % w)
...     padded(t + -t % w, t), padded(t + w, t)
(True, False)
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from typedtorch.shapes.size import Atom, Size, atoms


@dataclass(frozen=True, slots=True)
class Taken:
    """A slice of an axis, and the length that it was taken to have."""

    size: Size
    start: Size | None
    stop: Size | None
    step: int
    length: Size

    @property
    def is_window(self) -> bool:
        """Whether it begins at some place that no number says."""
        return not isinstance(self.start, int | None)


_scopes: list[tuple[dict[Taken, None], bool]] = []


@contextlib.contextmanager
def noting(*, inside: bool = False) -> Iterator[dict[Taken, None]]:
    """The slices of a body, in their order; ``inside`` another that calls it."""
    own: dict[Taken, None] = {}
    before = frozenset(_padded)
    if not inside:
        _padded.clear()
    _scopes.append((own, inside))
    try:
        yield own
    finally:
        _scopes.pop()
        if inside and _scopes:
            _scopes[-1][0].update(own)
        elif not inside:
            _padded.clear()
            _padded.update(before)


def noted() -> Iterator[Taken]:
    """The slices of this body so far, and of those that called it."""
    for own, inside in reversed(_scopes):
        yield from own
        if not inside:
            return


def note(size: Size, index: slice, length: Size) -> None:
    """A slice of an axis of this size was taken to be so long."""
    if _scopes:
        _scopes[-1][0][Taken(size, index.start, index.stop, index.step or 1, length)] = None


def repeat(slices: Iterable[Taken]) -> None:
    """What was sliced in a call that is remembered is sliced again."""
    if _scopes:
        _scopes[-1][0].update(dict.fromkeys(slices))


def crossed(size: Size, length: Size) -> bool:
    """Whether an axis as long as the one is cut to the other's length in this body, and that to the one's."""
    return any(taken.size == length and taken.length == size for taken in noted())


def crossing(slices: Iterable[Taken]) -> bool:
    """Whether one of these slices is cut so, beside those of this body."""
    return any(crossed(taken.size, taken.length) for taken in slices)


def uncertain(slices: Iterable[Taken]) -> set[Atom]:
    """Names of the lengths that two axes are cut to, each to the other's."""
    pairs = {(taken.size, taken.length) for taken in slices}
    return {atom for size, length in pairs if (length, size) in pairs for atom in atoms(size) | atoms(length)}


def windows() -> set[int]:
    """The lengths of windows that begin somewhere, of which the last may be cut off by the end."""
    return {part.length for part in noted() if part.is_window and isinstance(part.length, int)}


_padded: set[tuple[Size, Size]] = set()


def pad(size: Size, length: Size) -> None:
    """An axis of this size was made so long; it counts where the difference is a rest, as of ``-t % w``."""
    if _scopes and any(atom.kind == "floor" for atom in atoms(length - size)):
        _padded.update(((size, length), (length, size)))


def padded(a: Size, b: Size) -> bool:
    """Whether one of two sizes is the other padded."""
    return (a, b) in _padded


def has_padding() -> bool:
    """Whether an axis was padded in this body."""
    return bool(_padded)


def names_of_padding() -> set[Atom]:
    """The names in the sizes of what was padded."""
    return {atom for sizes in _padded for size in sizes for atom in atoms(size)}


def forget_padding() -> None:
    """A test asked of sizes: what was padded may be as long as before on one of its ways."""
    _padded.clear()
