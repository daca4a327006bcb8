"""How many elements a slice takes."""

from __future__ import annotations

from typedtorch.shapes import taken
from typedtorch.shapes.bounds import constant, positive
from typedtorch.shapes.equality import generic
from typedtorch.shapes.rules.forms import is_size
from typedtorch.shapes.size import Atom, Poly, Size, atoms, divides, is_unknown, unknown
from typedtorch.shapes.tensor import UNKNOWN, Pack, ShapeError, Tensor, Undecided, show


def slice_size(size: Size, index: slice, library: str = "torch") -> Size:
    """How many elements a slice takes of an axis.

    A named bound is taken at its word (``x[:, :t]`` has t elements), unless two axes are cut to each
    other's length, and so is a number that is left out (``x[:, 2:]`` of n has n - 2).  A number that is kept
    gives an unknown size: ``x[:, :5]`` has 5 elements at most.  numpy alone counts backwards.
    """
    length = _slice_size(size, index, library)
    if is_unknown(length) or length == size or not _is_at_its_word(size, index):
        return length
    taken.note(size, index, length)
    return unknown() if taken.crossed(size, length) else length


def _is_at_its_word(size: Size, index: slice) -> bool:
    """Whether the length of a slice depends on more than numbers."""
    return any(isinstance(part, Poly) for part in (size, index.start, index.stop))


def _slice_size(size: Size, index: slice, library: str) -> Size:
    step = 1 if index.step is None else index.step
    if UNKNOWN in (index.start, index.stop, step) or isinstance(step, Poly):
        return unknown()
    if isinstance(step, int) and step <= 0:
        if library == "torch":
            raise ShapeError(f"a slice's step must be positive, got {step}", hint="use flip")
        if index.start is index.stop is None:
            return (size - step - 1) // -step
        return unknown()
    bounds = (index.start, index.stop)
    for bound in bounds:
        if isinstance(bound, Tensor) and _has_items(bound):
            raise ShapeError(
                f"a bound of a slice is one integer, this one has shape {show(bound.shape)}",
                hint="without a colon, as an index, it takes an item for each of its numbers",
            )
    if any(b is not None and not is_size(b) for b in bounds):
        raise Undecided
    if isinstance(size, int) and all(b is None or isinstance(b, int) for b in bounds):
        return len(range(*slice(index.start, index.stop, step).indices(size)))
    start, stop = (None if b is None else _clamped(b, size) for b in bounds)
    length = _length(size, start, stop)
    if isinstance(length, int):
        length = max(length, 0)
    elif all(atom.kind == "axis" for atom in atoms(length)):
        if positive(1 - length):  # the end is before the start
            return 0
        if all(count < 0 for monomial, count in length.terms if monomial):
            return unknown()
    return (length + step - 1) // step if step != 1 else length


def _has_items(tensor: Tensor) -> bool:
    """Whether a tensor is more than one number, unless a named axis is 1."""
    return any(
        not isinstance(e, Pack) and e != 1 and (isinstance(e, int) or generic(e)) for e in tensor.shape
    )


def _sign(bound: Size, size: Size) -> int:
    """-1: counts from the end; 1: from the front; 0: either, as ``1 - w`` or ``t - w`` may be."""
    if isinstance(bound, int):
        return -1 if bound < 0 else 1
    if all(c < 0 for _, c in bound.terms):
        return 0 if is_unknown(bound) else -1
    if positive(bound + 1):
        return 1
    left = size - bound  # ``n - k`` of an axis of n: what is left out has nothing to do with n
    return int(positive(left) and not atoms(left) & atoms(size))


def _clamped(bound: Size, size: Size) -> Size:
    """A bound beyond an end, as ``x[:n + 1]`` has for an axis of n, is that end."""
    if isinstance(bound, int) and isinstance(size, Poly):
        return bound
    if isinstance(bound, Poly) and isinstance(size, Poly) and _is_counted_out(size):
        room, more = constant(size), constant(bound)
        if more > max(room, 0) and not _factors(bound) <= _factors(size):
            return unknown()  # ``pos[:, :n + 1]`` of one for each patch may end with it
    if isinstance(bound, Poly) and _is_as_long(bound, size):
        return size
    if isinstance(bound, Poly) and _is_as_long(-bound, size):
        return 0  # ``x[:, -n:]`` with n of d*k is all of an axis of d
    for beyond, end in ((bound - size, size), (-(bound + size), 0)):
        if isinstance(beyond, int):
            if beyond >= 0:
                return end
        elif not isinstance(size, int):
            own = all(atom.kind == "axis" and atom in atoms(size) for atom in atoms(beyond))
            if all(count > 0 for _, count in beyond.terms):
                return end if own else unknown()  # another integer may be negative
            if own and not positive(1 - beyond):
                return unknown()
    return bound


def _is_as_long(bound: Size, size: Size) -> bool:
    """Whether a bound made of axes alone is at least an axis of one, or one that divides it."""
    if any(atom.kind != "axis" for atom in atoms(bound)) or not positive(bound):
        return False
    return size == 1 or (isinstance(size, Poly) and len(size.terms) == 1 and divides(size, bound))


def _is_counted_out(size: Poly) -> bool:
    """Whether a size was computed of others, as the patches of an image are: no room is left in it."""
    return any(len(m) > 1 or m[0][1] > 1 or m[0][0].kind == "floor" for m, _ in size.terms if m)


def _factors(size: Poly) -> set[Atom]:
    return {atom for monomial, _ in size.terms for atom, _ in monomial}


def _length(size: Size, start: Size | None, stop: Size | None) -> Size:
    if start == size:
        return 0
    if start is None or start == 0:
        if stop is None or stop == size:
            return size
        sign = _sign(stop, size)
        if sign <= 0:
            return size + stop if sign else unknown()
        return stop if isinstance(stop, Poly) or stop <= 1 else unknown()
    head = _sign(start, size)
    if stop is None:
        if head <= 0:
            return -start if head and (isinstance(start, Poly) or start == -1) else unknown()
        return size - start
    tail = _sign(stop, size)
    length = stop - start
    if head == tail != 0:
        if isinstance(length, int) and (length <= 0 or isinstance(start, int)):
            return unknown()
        shifted = isinstance(start, int) and is_unknown(size)  # ``y[:, k : n + k]`` may be cut off by the end
        return unknown() if shifted else length
    if head > 0 > tail:
        return size + length
    # ``x[t - w : t]`` is a window of w that ends at t
    return length if tail > 0 == head and positive(length) and not positive(1 - start) else unknown()
