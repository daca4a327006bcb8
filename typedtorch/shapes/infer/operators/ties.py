"""Sizes that must be one although nothing said so: what an axis was taken for inside one body.

Whether ``d`` of a signature is the layer's ``dim`` cannot be told where the two meet: the annotation
may say too little.  But they meet because an operator demands that they are equal, so from there on
``d`` *is* ``dim``.  Where ``d`` then meets ``hidden``, or ``seq`` meets ``dim``, two sizes that are
certainly different would have to be one: the program contradicts itself.

The other way round, two sizes that one tensor of the body has as different axes are two, unless they
met as one before: where ``(batch, seq, vocab)`` was, ``seq`` does not meet ``vocab``.

Ties hold along one path: a branch has a copy, and after it only what both sides agree on remains.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any, TypeAlias

from typedtorch.shapes.differences import may_be_square
from typedtorch.shapes.equality import is_argument, is_name, of_another, same
from typedtorch.shapes.scopes import (
    HELD_SCOPE,
    INSTANCE_SCOPE,
    INTEGER_SCOPE,
    ITEM_SCOPE,
    LINKED_SCOPE,
    bare,
)
from typedtorch.shapes.size import Atom, Poly, Size, atoms, axis, is_counted, substitute, without_common
from typedtorch.shapes.tensor import Entry, Pack, Shape, Tensor

# operators that take some of an axis, and what they call the number
_CHOOSE = {"topk": "k", "multinomial": "num_samples"}

# the shapes of tensors that were met, the last one first
Met: TypeAlias = tuple[Shape, Any] | None  # and those before it


class Ties:
    """Groups of sizes that must be equal, and the tensors met, which tell sizes apart."""

    __slots__ = ("groups", "held", "lines", "met", "near", "taken")

    def __init__(
        self,
        groups: dict[Size, frozenset[Size]] | None = None,
        lines: dict[frozenset[Size], int] | None = None,
        held: Set[str] = frozenset(),
        met: Met = None,
        taken: Mapping[Size, frozenset[int]] = {},
        near: frozenset[frozenset[Size]] = frozenset(),
    ) -> None:
        self.groups = {} if groups is None else groups
        self.lines = {} if lines is None else lines
        self.held = held  # axes of the tensors that ``self`` was constructed with
        self.met = met
        self.taken = taken  # the items of axes that were taken one by one
        self.near = near  # pairs of integers that an operator met where it takes one size

    def copy(self) -> Ties:
        """The same ties, to which more can be added without adding them here."""
        # nothing is changed in place
        return Ties(self.groups, self.lines, self.held, self.met, self.taken, self.near)

    def without(self, gone: Callable[[Atom], bool]) -> Ties:
        """The same without sizes that are others from here on: what a call made in one turn of a loop."""
        left = {size for size in self.groups if any(map(gone, atoms(size)))}
        if not left:
            return self
        groups = {size: group - left for size, group in self.groups.items() if size not in left}
        groups = {s: g for s, g in groups.items() if len(g) > 1}
        return Ties(groups, self.lines, self.held, self.met, self.taken, self.near)

    def none(self) -> Ties:
        """Nothing is tied any more."""
        return Ties(held=self.held)

    def conflict(self, a: Size, b: Size) -> tuple[Size, Size] | None:
        """Two certainly different sizes that would be one if ``a`` and ``b`` were."""
        if self._apart(*without_common(a, b)):
            return a, b
        a, b = without_common(a, b)
        for x in sorted(self.groups.get(a, (a,)), key=str):  # which is told does not hang on hashes
            for y in sorted(self.groups.get(b, (b,)), key=str):
                met = x is a and y is b
                if not met and not sides(x, y) and (same(x, y) is False or self._apart(x, y)):
                    return x, y
                if _batch_against_fixed(x, y) or _batch_against_fixed(y, x):
                    return x, y
        return self._beside_its_own(a, b) or self._beside_its_own(b, a)

    def allow(self, a: Size, b: Size) -> bool:
        """Whether two sizes may be one."""
        return self.conflict(a, b) is None

    def _beside_its_own(self, a: Size, b: Size) -> tuple[Size, Size] | None:
        """``d`` of a method against ``n`` of what ``self`` holds, which has a ``d`` as well."""
        name, other = _name(a, ""), _name(b, HELD_SCOPE)
        if name is None or other is None or name == other or name not in self.held or sides(a, b):
            return None
        return axis(name, HELD_SCOPE), b

    def _apart(self, a: Size, b: Size) -> bool:
        """Whether an axis of the signature stood beside an integer of the program in one tensor."""
        if not _may_be_told(a, b) and not _may_be_told(b, a):
            return False
        if str(a) == str(b) or sides(a, b) or self.known(a, b):
            return False
        met = self.met
        first, second = halved(a), halved(b)
        while met is not None:
            shape, met = met
            if (first in shape and second in shape) or any(_divided(entry, a, b) for entry in shape):
                return True
        return False

    def meet(
        self, operator: str, values: Sequence[object], keywords: Mapping[str, object], result: object
    ) -> None:
        """Tensors an operator was given, or made of sizes; and ``k`` where it chooses so many of an axis."""
        shapes = [v.shape for v in values if isinstance(v, Tensor)]
        if not shapes and isinstance(result, Tensor):
            shapes = [result.shape]
        if operator in _CHOOSE and shapes:
            number = keywords.get(_CHOOSE[operator])
            for k in (number, *values):
                if isinstance(k, (int, Poly)):
                    shapes.append((*shapes[0], k))
                    break
        for shape in shapes:
            if self.met is None or self.met[0] is not shape:
                self.met = shape, self.met

    def known(self, a: Size, b: Size) -> bool:
        """Whether two sizes were already taken for one."""
        a, b = without_common(a, b)
        return b in self.groups.get(a, ())

    def meet_as_one(self, a: Size, b: Size) -> None:
        """An operator took two integers of which nothing is known for one size."""
        pair = frozenset(without_common(a, b))
        if not any(isinstance(size, int) for size in pair):
            self.near |= {pair}

    def met_as_one(self, a: Size, b: Size) -> bool:
        """Whether some operator did."""
        return frozenset(without_common(a, b)) in self.near

    def settled(self, a: Size, b: Size) -> bool:
        """Whether two sizes had to be one in this body; a batch axis has every size, whatever it met."""
        if is_batch(a) or is_batch(b):
            return False
        if self._all_taken(a, b) or self._all_taken(b, a):
            return True
        return self.known(a, b) or (self._counted(a) == self._counted(b) and bool(self.groups))

    def take(self, size: Size, items: frozenset[int]) -> None:
        """Items of an axis were taken one by one."""
        self.taken = {**self.taken, size: self.taken.get(size, frozenset()) | items}

    def _all_taken(self, size: Size, count: Size) -> bool:
        """Whether the items of an axis that were taken are the first so many."""
        return isinstance(count, int) and count > 1 and self.taken.get(size) == frozenset(range(count))

    def _counted(self, size: Size) -> Size:
        """A size in which the axes that had to be numbers are those numbers: dim + 1 is 3 where dim met 2."""
        numbers = {
            atom: member
            for atom in atoms(size)
            for member in self.groups.get(axis(atom.name, atom.scope), ())
            if isinstance(member, int)
        }
        return substitute(size, numbers)

    def add(self, a: Size, b: Size, line: int) -> None:
        """From now on two sizes are one, because of this line."""
        a, b = without_common(a, b)
        if not (lasting(a) and lasting(b)):
            self.meet_as_one(a, b)
            return
        merged = self.groups.get(a, frozenset((a,))) | self.groups.get(b, frozenset((b,)))
        self.groups = {**self.groups, **dict.fromkeys(merged, merged)}
        self.lines = {frozenset((a, b)): line, **self.lines}

    def line(self, a: Size, b: Size) -> int | None:
        """Where two sizes met."""
        return self.lines.get(frozenset((a, b)))

    def join(self, other: Ties) -> Ties:
        """What holds on both of two paths."""
        met = _common(self.met, other.met)
        taken = {size: items & other.taken.get(size, items) for size, items in self.taken.items()}
        if self.groups == other.groups:
            return Ties(self.groups, self.lines, self.held, met, taken, self.near & other.near)
        groups: dict[Size, frozenset[Size]] = {}
        for size, group in self.groups.items():
            common = group & other.groups.get(size, frozenset())
            if len(common) > 1:
                groups[size] = common
        return Ties(groups, {**other.lines, **self.lines}, self.held, met, taken, self.near & other.near)


def _common(a: Met, b: Met) -> Met:
    """What was met before two paths parted."""
    seen = set()
    while a is not None:
        seen.add(id(a))
        a = a[1]
    while b is not None and id(b) not in seen:
        b = b[1]
    return b


def _may_be_told(a: Size, b: Size) -> bool:
    """Whether standing side by side says that two sizes are two.

    An axis, also one of an object that was passed, and an integer; an integer and a part of another; what
    was made of axes and a number (``w//4`` and 32); an axis and what was made of others (``c`` and ``h*w``),
    or an anonymous one.
    """
    if _given(b) and is_name(a) and of_another(a):
        return True
    if _own_axis(a):
        return _given(b) or (_of_own_axes(b) and not atoms(a) & atoms(b)) or _anonymous(b)
    if is_argument(a):
        return halved(b) is not b and not atoms(a) & atoms(b)
    return isinstance(b, int) and b > 1 and _of_own_axes(a)


def _of_own_axes(size: Size) -> bool:
    """Whether a size was made of axes of the signature: a product, or the part that a stride leaves."""
    found = atoms(size)
    return any(a.kind == "axis" and a.scope == "" for a in found) and all(
        a.kind == "floor" or (a.kind == "axis" and a.scope in ("", INTEGER_SCOPE)) for a in found
    )


def _own_axis(size: Size) -> bool:
    """Whether a size is an axis of the signature alone, or of what ``self`` holds."""
    if not isinstance(size, Poly) or len(size.atoms()) != 1:
        return False
    (atom,) = size.atoms()
    return atom.kind == "axis" and atom.scope in ("", HELD_SCOPE) and size == axis(atom.name, atom.scope)


def _anonymous(size: Size) -> bool:
    """Whether a size is an axis that a signature does not name: ``_``."""
    return is_name(size) and all(atom.scope.startswith("_") for atom in atoms(size))


def _divided(entry: Entry, a: Size, b: Size) -> bool:
    """Whether one size was divided by the other: ``d//heads`` of ``d``."""
    if isinstance(entry, (int, Pack)):
        return False
    return any(atom.kind == "floor" and atom.operands in ((a, b), (b, a)) for atom in entry.atoms())


def _given(size: Size) -> bool:
    """Whether a size is a number, an integer that was passed, a part of one, or what a mask chose."""
    return size > 1 if isinstance(size, int) else is_argument(halved(size)) or is_counted(size)


def halved(size: Size) -> Size:
    """The size of which another is the half, or another part: ``dim`` of ``dim//2``."""
    if isinstance(size, Poly) and len(size.terms) == 1:
        monomial, coefficient = size.terms[0]
        if coefficient == 1 and len(monomial) == 1 and monomial[0][0].kind == "floor" and monomial[0][1] == 1:
            whole, part = monomial[0][0].operands
            if isinstance(part, int):
                return next((w for w in (whole, whole - (part - 1)) if is_argument(w)), size)
    return size


def _name(size: Size, scope: str) -> str | None:
    """The name of a size that is one axis of a scope."""
    found = [a for a in atoms(size) if a.kind == "axis" and a.scope == scope]
    return found[0].name if len(found) == 1 and axis(found[0].name, scope) == size else None


_BATCH = {"b", "batch", "bs", "bsz", "batch_size"}


def is_batch(size: Size) -> bool:
    """Whether a size is a batch by its name, which has every size."""
    return str(size).lower() in _BATCH


def _batch_against_fixed(x: Size, y: Size) -> bool:
    """The batch axis of a signature against a number or a size of the instance: it has every size."""
    if isinstance(x, int) or not is_batch(x) or any(a.scope for a in x.atoms()):
        return False
    if isinstance(y, int):
        return y > 1
    for atom in atoms(y):
        if atom.name[:1].lower() == "b" or "env" in atom.name or "batch" in atom.name:
            return False
        if atom.kind != "floor" and bare(atom.scope) not in (INSTANCE_SCOPE, LINKED_SCOPE):
            return False
    return True


_SIDES = {("h", "w"), ("i", "j"), ("k", "q"), ("r", "c"), ("x", "y"), ("s", "t")}
# what goes into attention and what it makes: projections are square in most models
_WIDTHS = {"d_model", "d_in", "d_out", "d_q", "d_k", "d_v"}


def sides(x: Size, y: Size) -> bool:
    """Height and width, queries and keys, a model's width and its values': one wherever a square is meant."""
    names = {str(x).lower(), str(y).lower()}
    if names <= _WIDTHS and names != {"d_in", "d_out"}:
        return True
    ends = str(x)[:1].lower(), str(y)[:1].lower()
    return ends in _SIDES or ends[::-1] in _SIDES or may_be_square(x - y)


def lasting(size: Size) -> bool:
    """Whether a size means the same wherever it stands in a body: names, and numbers made of them."""
    return all(
        atom.kind in ("axis", "floor") and not atom.scope.startswith(ITEM_SCOPE) for atom in atoms(size)
    )


__all__ = ["Ties", "halved", "is_batch", "lasting", "sides"]
