"""What is known of a tensor, and the vocabulary that shape rules are written in.

A shape is a tuple of entries: a size, or a :class:`Pack`, a run of axes whose number is not known
(``*batch``, ``...``).  A tensor of unknown rank has the shape ``(ANY_AXES,)``; an axis of unknown
size is ``unknown()``.  Every function here either answers, refuses (:class:`ShapeError`, torch
would too) or passes (:class:`Undecided`).

>>> from typedtorch.shapes.size import axis
>>> b, d = axis("b"), axis("d")
>>> show(broadcast((b, 1, d), (5, d)))
'(b, 5, d)'
>>> show(broadcast((Pack("batch"), d), (d,)))
'(*batch, d)'
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from typedtorch.shapes import dtypes
from typedtorch.shapes.differences import are_multiples
from typedtorch.shapes.equality import same
from typedtorch.shapes.proofs import Proofs
from typedtorch.shapes.size import Atom, Poly, Size, atoms, is_counted, is_unknown, product, unknown


class ShapeError(Exception):
    """torch would refuse this call.  The message is for the user: wanted, got, in their words."""

    def __init__(self, message: str, code: str = "shape", hint: str | None = None) -> None:
        super().__init__(message)
        self.message, self.code, self.hint = message, code, hint


class Undecided(Exception):
    """The answer depends on something unknown."""


@dataclass(frozen=True, slots=True)
class Pack:
    """A run of axes whose number is unknown.  Two packs of one name are the same axes.

    The name of a signature claims every number of axes; that of some one run, which an annotation names
    and no argument binds (``open``), starts with a question mark, as that of an unknown size does.
    """

    name: str

    @property
    def anonymous(self) -> bool:
        """Whether it has no name of its own."""
        return self.name == "..."

    @property
    def open(self) -> bool:
        """Whether it is some run, not every one: nothing certain follows from its number of axes."""
        return self.name == "..." or self.name.startswith("?")

    def __repr__(self) -> str:
        own = self.name.rpartition(".")[2].strip("?'")
        return self.name if self.anonymous else f"*{own}"


ANY_AXES = Pack("...")
Entry: TypeAlias = Size | Pack
Shape: TypeAlias = tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor (or numpy array) as the checker knows it.

    ``label`` is the operand as the user wrote it, for messages.  ``deliberate``: axes of size one
    were put there on purpose (``x[:, None]``), so an outer broadcast is meant.  ``layout``: the strides
    in elements where they are certain, so that an impossible ``view`` is known to be one.
    """

    shape: Shape
    dtype: int = dtypes.ANY
    label: str = field(default="", compare=False)
    deliberate: bool = False
    layout: tuple[Size, ...] | None = None
    library: Literal["torch", "numpy"] = "torch"

    @property
    def rank(self) -> int | None:
        """Number of axes, or None where it is not known."""
        return None if any(isinstance(e, Pack) for e in self.shape) else len(self.shape)

    @property
    def is_known(self) -> bool:
        """Whether every run of its axes has a name."""
        return not any(isinstance(e, Pack) and e.anonymous for e in self.shape)

    def sizes(self) -> tuple[Size, ...]:
        """The axes of a tensor whose rank is known.

        Raises:
            Undecided: the rank is not known.
        """
        return sizes(self.shape)

    def of(self, shape: Iterable[Entry], dtype: int | None = None) -> Tensor:
        """A fresh result with this shape, of the same library and (unless given) the same dtype."""
        axes = tuple(shape)
        kept = self.deliberate and axes is self.shape  # the very axes of this tensor
        mask = self.dtype if dtype is None else dtype
        return Tensor(axes, mask, deliberate=kept, library=self.library)

    def named(self, label: str) -> Tensor:
        """The same tensor under another label."""
        return replace(self, label=label)

    def __str__(self) -> str:
        return show(self.shape)


def sizes(shape: Shape) -> tuple[Size, ...]:
    """The entries as sizes.

    Raises:
        Undecided: the rank is not known.
    """
    found: list[Size] = []
    for entry in shape:
        if isinstance(entry, Pack):
            raise Undecided
        found.append(entry)
    return tuple(found)


def show(shape: Iterable[Entry]) -> str:
    """A shape for a message: ``(b, s, 2*d)``; an unknown axis is ``?``."""
    parts = list(map(shown, shape))
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


PROMISED = "~"  # between where an axis arose that only a call's result mentions, and its name


def shown(entry: Entry) -> str:
    """One axis for a message; one that a result promises by the name it has there."""
    if isinstance(entry, Pack) or not is_unknown(entry) or is_counted(entry):
        return str(entry)
    return promised(entry)[1] or "?"


def promised(size: Size) -> tuple[str, str]:
    """The call whose result promises an axis, and the name it has there; empty where none does."""
    atom = next(iter(atoms(size)), None)
    call, _, axis_name = ("", "", "") if atom is None else atom.name.partition(PROMISED)
    return (call, axis_name) if atom and axis_name.isidentifier() and size == unknown(atom.name) else ("", "")


def axes_text(shape: Shape) -> str:
    """How many axes, for a message: ``3 axes``, or with a run among them ``at least 2 axes``."""
    count = sum(not isinstance(e, Pack) for e in shape)
    return f"{'at least ' if count < len(shape) else ''}{count} {'axis' if count == 1 else 'axes'}"


def pack_index(shape: Shape) -> int | None:
    """Where the first run of unknown axes stands."""
    return next((i for i, e in enumerate(shape) if isinstance(e, Pack)), None)


def has_open_run(shape: Shape) -> bool:
    """Whether a shape has some run of axes of which nothing certain follows."""
    return any(isinstance(e, Pack) and e.open for e in shape)


def axis_index(shape: Shape, dim: int, what: str = "", *, insert: bool = False) -> int:
    """Index into ``shape`` of the axis ``dim`` counted as torch does, negative from the end.

    With ``insert`` one more place is allowed (``unsqueeze``, ``stack``).  A tensor of rank 0 takes
    0 and -1 as torch's reductions do; the caller must handle the empty shape.

    Raises:
        ShapeError: out of range.
        Undecided: the axis is beyond a run of unknown axes.
    """
    places = len(shape) + (1 if insert else 0)
    first = pack_index(shape)
    if first is not None:
        last = max(i for i, e in enumerate(shape) if isinstance(e, Pack))
        if 0 <= dim < first or (insert and dim == first):
            return dim
        if dim < 0 and places + dim > last:
            return places + dim
        raise Undecided
    if not -max(places, 1) <= dim < max(places, 1):
        subject = what or "the tensor"
        verb = f"dim={dim} is out of range for {subject} of rank {len(shape)}, shape {show(shape)}"
        raise ShapeError(verb)
    return dim % places if places else 0


def entry_size(entry: Entry) -> Size:
    """A single axis.

    Raises:
        Undecided: it is a run of axes.
    """
    if isinstance(entry, Pack):
        raise Undecided
    return entry


def without(shape: Shape, index: int) -> Shape:
    """A shape without one of its axes."""
    return shape[:index] + shape[index + 1 :]


def replaced(shape: Shape, index: int, *entries: Entry) -> Shape:
    """A shape with other entries in place of one of its axes."""
    return shape[:index] + entries + shape[index + 1 :]


def same_entry(a: Entry, b: Entry) -> bool | None:
    """As :func:`typedtorch.shapes.equality.same`, on entries."""
    if isinstance(a, Pack) or isinstance(b, Pack):
        return True if a == b and isinstance(a, Pack) and not a.anonymous else None
    return same(a, b)


def better(a: Size, b: Size) -> Size:
    """Of two sizes that must be equal, the one that says more."""
    if is_unknown(a):
        return b
    return a if isinstance(a, int) or is_unknown(b) or not isinstance(b, int) else b


def same_shape(a: Shape, b: Shape) -> bool | None:
    """Equal, different, or cannot tell."""
    if pack_index(a) is None and pack_index(b) is None:
        if len(a) != len(b):
            return False
        answers = [same_entry(x, y) for x, y in zip(a, b, strict=True)]
        if False in answers:
            return False
        return None if None in answers else True
    if a == b and not any(isinstance(e, Pack) and e.anonymous for e in a):
        return True
    return None


def numel(shape: Shape) -> Size:
    """The number of elements.

    Raises:
        Undecided: the rank is not known.
    """
    return product(sizes(shape))


def broadcast(*shapes: Shape) -> Shape:
    """The shape to which all broadcast, by torch's rules.

    Raises:
        ShapeError: two sizes differ and neither is 1.
    """
    result = shapes[0]
    for other in shapes[1:]:
        result = _broadcast_two(result, other)
    return result


def _broadcast_two(a: Shape, b: Shape) -> Shape:
    if a == b and not any(isinstance(e, Pack) and e.anonymous for e in a):
        return a
    out: list[Entry] = []
    i, j = len(a) - 1, len(b) - 1
    while i >= 0 and j >= 0:
        x, y = a[i], b[j]
        if isinstance(x, Pack) or isinstance(y, Pack):
            return (*_broadcast_packs(a[: i + 1], b[: j + 1]), *reversed(out))
        out.append(broadcast_size(x, y))
        i, j = i - 1, j - 1
    rest = a[: i + 1] if i >= 0 else b[: j + 1]
    return (*rest, *reversed(out))


def _broadcast_packs(a: Shape, b: Shape) -> Shape:
    """Both end where at least one has a run of unknown axes.

    Raises:
        ShapeError: the same run stands at different distances from the end: ``(*batch, d)`` with
            ``(*batch)`` meets d with an axis of the run.
    """
    pack = next((e for e in (*a, *b) if isinstance(e, Pack) and not e.open), None)
    if pack is not None and pack in a and pack in b:
        after_a, after_b = a[a.index(pack) + 1 :], b[b.index(pack) + 1 :]
        longer = after_a or after_b
        if bool(after_a) != bool(after_b) and all(not isinstance(e, Pack) and e != 1 for e in longer):
            raise ShapeError(f"{longer[-1]} and the last axis of {pack} do not broadcast")
    if a[-1] == b[-1] and isinstance(a[-1], Pack) and not a[-1].anonymous:
        rest = _broadcast_two(a[:-1], b[:-1]) if a[:-1] and b[:-1] else a[:-1] or b[:-1]
        return (*rest, a[-1])
    known = a if isinstance(b[-1], Pack) else b
    tail = known[max((i + 1 for i, e in enumerate(known) if isinstance(e, Pack)), default=0) :]
    return (ANY_AXES, *(broadcast_size(entry_size(e), unknown()) for e in tail))


def broadcast_size(x: Size, y: Size) -> Size:
    """One axis against another.

    Raises:
        ShapeError: the sizes differ and neither is 1.
    """
    if x == 1:
        return y
    if y == 1:
        return x
    verdict = same(x, y)
    if verdict is False:
        if _by_data(x) and _by_data(y):
            return unknown()  # x[..., 2:] of 3 coordinates is one that meets each of them
        if are_multiples(x, y) and any(a.kind == "int" for a in atoms(x)):
            return unknown()  # the integer may be 1
        raise ShapeError(f"{x} and {y} do not broadcast")
    if verdict is True:
        return better(x, y)
    # The unknown one is 1 or equal to the other, unless the other is itself 1: a name is generic, a
    # number is not 1 and an integer of the program is seldom meant to be, so they are the answer.
    for kinds in (("axis",), ("axis", "int", "floor")):
        for size in (x, y):
            if isinstance(size, int) or all(a.kind in kinds for a in atoms(size)):
                return size
    return unknown()


def _by_data(size: Size) -> bool:
    """Whether nothing says how long an axis is, so that with an end cut off it may be 1."""
    return not (isinstance(size, int) or promised(size)[0]) and all(a.kind == "opaque" for a in atoms(size))


def shape_from(values: Sequence[object]) -> Shape:
    """Sizes given to a call (``zeros(2, n)``, ``view(b, -1)``), unknown ones as unknown axes.

    Raises:
        Undecided: a value is not a size.
    """
    found: list[Entry] = []
    for value in values:
        if value is UNKNOWN:
            found.append(unknown())
        elif isinstance(value, (int, Poly, Pack)) and not isinstance(value, bool):
            found.append(value)
        else:
            raise Undecided
    return tuple(found)


class Unknown:
    """A value nothing is known about.  Any use of it in a rule is :class:`Undecided`."""

    def _undecided(self, *_: object) -> bool:
        raise Undecided

    __bool__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = _undecided

    def __getattr__(self, name: str) -> object:
        if name.startswith("_"):
            raise AttributeError(name)
        raise Undecided

    def _value(self, *_: object) -> Unknown:
        raise Undecided

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _value
    __floordiv__ = __rfloordiv__ = __mod__ = __neg__ = __index__ = _value
    __len__ = __iter__ = __getitem__ = __call__ = _value

    def __repr__(self) -> str:
        return "?"


UNKNOWN = Unknown()


@dataclass(frozen=True, slots=True)
class Dtype:
    """A dtype passed as a value: ``torch.float32``, ``x.dtype``."""

    mask: int

    def __str__(self) -> str:
        return dtypes.show(self.mask)


@dataclass(frozen=True, slots=True)
class Scalar:
    """A Python number of unknown value; its kind matters to promotion.  (An unknown int is a size.)"""

    kind: Literal["bool", "float", "complex", "real"]  # real: an int or a float
    name: str = field(default="", repr=False)  # of the argument that it is
    asks: frozenset[Atom] = field(default=frozenset(), repr=False)  # that were compared, proven or not
    proves: Proofs = field(default=(), repr=False)  # of a bool: where it is true, and where it is not
