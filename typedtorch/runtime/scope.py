"""What one call has bound so far: sizes of axes, runs of axes, tree structures, and who bound each first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Kind = Literal["shape", "dtype", "type"]
Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Why a value is refused; ``path`` leads to it from the argument (``[2]``, ``['mask']``, ``.x``)."""

    kind: Kind
    wanted: str
    got: str
    axis: str | None = None
    annotation: str = ""
    value: str = ""
    because: tuple[str, ...] = ()  # where the sizes it rests on come from
    path: str = ""

    def at(self, step: str) -> Mismatch:
        """The same, one level further out."""
        return replace(self, path=step + self.path)


@dataclass(slots=True)
class Scope:
    """Bindings of one call.  Names are bound where they are first met and never change after.

    ``runs`` holds for each ``*name`` whether it may still grow by broadcasting, and its shape.
    ``origins`` holds for each bound name the place that bound it and the array found there.
    """

    arguments: Mapping[str, Any] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    runs: dict[str, tuple[bool, Shape]] = field(default_factory=dict)
    trees: dict[str, Any] = field(default_factory=dict)
    origins: dict[str, tuple[str, str]] = field(default_factory=dict)
    place: str = ""
    leaf: str | None = None  # the leaf of a PyTree being checked; "?name" is a name of its own in each
    loose: bool = False  # look at the type of arrays only

    def because(self, names: Iterable[str]) -> tuple[str, ...]:
        """Where each name got its size, in words; a run is named with its star."""
        lines = []
        for name in names:
            place, array = self.origins.get(name, ("", ""))
            size = self.runs[name[1:]][1] if name.startswith("*") else self.sizes.get(name)
            if place:
                lines.append(f"{name} = {size} from {place}" + (f": {array}" if array else ""))
        return tuple(lines)


def broadcast(a: Shape, b: Shape) -> Shape | None:
    """The shape two shapes broadcast to, or None where they do not.

    >>> broadcast((3, 1), (4, 1, 5)), broadcast((3,), (4,))
    ((4, 3, 5), None)
    """
    if len(a) < len(b):
        a, b = b, a
    result = list(a)
    for i in range(1, len(b) + 1):
        if result[-i] == 1:
            result[-i] = b[-i]
        elif b[-i] not in (1, result[-i]):
            return None
    return tuple(result)


def join_runs(bound: tuple[bool, Shape] | None, grows: bool, shape: Shape) -> tuple[bool, Shape] | None:
    """What ``*name`` is bound to after meeting ``shape``, ``*#name`` where ``grows``; None if it cannot be.

    A run bound by ``*#name`` only says what it broadcasts to so far; ``*name`` settles it.
    """
    if bound is None:
        return grows, shape
    open_ended, before = bound
    if not open_ended and not grows:
        return bound if shape == before else None
    joined = broadcast(shape, before)
    if joined is None:
        return None
    if open_ended:
        return (grows, joined) if grows or joined == shape else None
    return bound if joined == before else None
