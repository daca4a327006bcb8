"""Sizes that must be one although nothing said so: what an axis was taken for inside one body.

Whether ``d`` of a signature is the layer's ``dim`` cannot be told where the two meet: the annotation
may say too little.  But they meet because an operator demands that they are equal, so from there on
``d`` *is* ``dim``.  Where ``d`` then meets ``hidden``, or ``seq`` meets ``dim``, two sizes that are
certainly different would have to be one: the program contradicts itself.

Ties hold along one path: a branch has a copy, and after it only what both sides agree on remains.
"""

from __future__ import annotations

from collections.abc import Set

from typedtorch.shapes.equality import DEFAULTED, HELD_SCOPE, INSTANCE_SCOPE, LINKED_SCOPE, same
from typedtorch.shapes.size import Size, atoms, axis, without_common


class Ties:
    """Groups of sizes that must be equal."""

    __slots__ = ("groups", "held", "lines")

    def __init__(
        self,
        groups: dict[Size, frozenset[Size]] | None = None,
        lines: dict[frozenset[Size], int] | None = None,
        held: Set[str] = frozenset(),
    ) -> None:
        self.groups = {} if groups is None else groups
        self.lines = {} if lines is None else lines
        self.held = held  # axes of the tensors that ``self`` was constructed with

    def copy(self) -> Ties:
        return Ties(dict(self.groups), dict(self.lines), self.held)

    def none(self) -> Ties:
        """Nothing is tied any more."""
        return Ties(held=self.held)

    def conflict(self, a: Size, b: Size) -> tuple[Size, Size] | None:
        """Two certainly different sizes that would be one if ``a`` and ``b`` were."""
        a, b = without_common(a, b)
        for x in self.groups.get(a, (a,)):
            for y in self.groups.get(b, (b,)):
                if (x is not a or y is not b) and same(x, y) is False and not _sides(x, y):
                    return x, y
                if _batch_against_fixed(x, y) or _batch_against_fixed(y, x):
                    return x, y
        return self._beside_its_own(a, b) or self._beside_its_own(b, a)

    def _beside_its_own(self, a: Size, b: Size) -> tuple[Size, Size] | None:
        """``d`` of a method against ``n`` of what ``self`` holds, which has a ``d`` as well."""
        name, other = _name(a, ""), _name(b, HELD_SCOPE)
        if name is None or other is None or name == other or name not in self.held or _sides(a, b):
            return None
        return axis(name, HELD_SCOPE), b

    def known(self, a: Size, b: Size) -> bool:
        a, b = without_common(a, b)
        return b in self.groups.get(a, ())

    def add(self, a: Size, b: Size, line: int) -> None:
        a, b = without_common(a, b)
        if not (lasting(a) and lasting(b)):
            return
        merged = self.groups.get(a, frozenset((a,))) | self.groups.get(b, frozenset((b,)))
        for size in merged:
            self.groups[size] = merged
        self.lines.setdefault(frozenset((a, b)), line)

    def line(self, a: Size, b: Size) -> int | None:
        """Where two sizes met."""
        return self.lines.get(frozenset((a, b)))

    def join(self, other: Ties) -> Ties:
        """What holds on both of two paths."""
        if self.groups == other.groups:
            return self
        groups: dict[Size, frozenset[Size]] = {}
        for size, group in self.groups.items():
            common = group & other.groups.get(size, frozenset())
            if len(common) > 1:
                groups[size] = common
        return Ties(groups, {**other.lines, **self.lines}, self.held)


def _name(size: Size, scope: str) -> str | None:
    """The name of a size that is one axis of a scope."""
    found = [a for a in atoms(size) if a.kind == "axis" and a.scope == scope]
    return found[0].name if len(found) == 1 and axis(found[0].name, scope) == size else None


_BATCH = {"b", "batch", "bs", "bsz", "batch_size"}


def _batch_against_fixed(x: Size, y: Size) -> bool:
    """The batch axis of a signature against a number or a size of the instance: it has every size."""
    if isinstance(x, int) or str(x).lower() not in _BATCH or any(a.scope for a in x.atoms()):
        return False
    if isinstance(y, int):
        return y > 1
    for atom in atoms(y):
        if atom.name[:1].lower() == "b" or "env" in atom.name or "batch" in atom.name:
            return False
        if atom.kind != "floor" and atom.scope.rstrip(DEFAULTED) not in (INSTANCE_SCOPE, LINKED_SCOPE):
            return False
    return True


_SIDES = {("h", "w"), ("i", "j"), ("k", "q"), ("r", "c"), ("x", "y"), ("s", "t")}


def _sides(x: Size, y: Size) -> bool:
    """Height and width, queries and keys: two names that are one size wherever a square is meant."""
    first, second = str(x)[:1].lower(), str(y)[:1].lower()
    return (first, second) in _SIDES or (second, first) in _SIDES


def lasting(size: Size) -> bool:
    """Whether a size means the same wherever it stands in a body: names, and numbers made of them."""
    return all(atom.kind in ("axis", "floor") for atom in atoms(size))


__all__ = ["Ties", "lasting"]
