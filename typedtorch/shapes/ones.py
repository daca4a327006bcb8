"""Sizes that may be 1: axes that a signature allows to be so, or not to be there, and lengths of lists.

``*batch``, ``...``, ``_`` and ``#n`` leave it to the call: one observation has no batch axis, or one of 1.
A plain name claims every size.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator

from typedtorch.shapes.size import Atom, Poly, Size, atoms, exact_div, substitute

LENGTH_SCOPE = "len "  # and the name of a list that was passed: how many items it has

_broadcastable: list[frozenset[str]] = []


@contextlib.contextmanager
def broadcastable(names: Iterable[str]) -> Iterator[None]:
    """Inside the block axes of these names are written with ``#`` wherever the signature has them."""
    _broadcastable.append(frozenset(names))
    try:
        yield
    finally:
        _broadcastable.pop()


def may_be_one(atom: Atom) -> bool:
    """Whether an axis may be 1 in a call that its signature allows: that of a run, or of no one name."""
    if atom.kind != "axis":
        return False
    if atom.name == "_" or atom.name[:1] in ("*", "."):
        return True
    return not atom.scope and bool(_broadcastable) and atom.name in _broadcastable[-1]


def at_least(size: Size) -> Size:
    """A size where each axis in it that may be 1 is.

    >>> from typedtorch.shapes.size import axis
    >>> at_least(axis("b") * axis("*batch"))
    b
    """
    return substitute(size, lambda atom: 1 if may_be_one(atom) else None)


def counts_items(size: Size) -> bool:
    """Whether a size says how many items a list has that was passed."""
    return any(atom.scope.startswith(LENGTH_SCOPE) for atom in atoms(size))


def is_times_items(size: Size, other: Size) -> bool:
    """Whether one size is the other times lengths of lists: the same where each has one item."""
    more = exact_div(size, other) or exact_div(other, size)
    return isinstance(more, Poly) and all(atom.scope.startswith(LENGTH_SCOPE) for atom in atoms(more))
