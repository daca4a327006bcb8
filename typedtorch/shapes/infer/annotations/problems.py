"""What does not fit: an annotation against a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from typedtorch.shapes.axes import Dim, evaluate
from typedtorch.shapes.infer.annotations.assuming import Names
from typedtorch.shapes.infer.annotations.specs import ArraySpec
from typedtorch.shapes.size import Size, unknown
from typedtorch.shapes.tensor import (
    ANY_AXES,
    Entry,
    Pack,
    Shape,
    Tensor,
)


@dataclass(frozen=True, slots=True)
class Problem:
    """A certain contradiction between an annotation and a value."""

    kind: Literal["rank", "size", "dtype", "pack", "kind"]
    spec: ArraySpec
    value: Tensor
    path: str = ""  # "[0]" for the first item of a tuple, ...
    dim: Dim | None = None
    position: int = 0
    expected: Size = 0
    got: Size = 0
    binder: str | None = None
    wanted: Shape = ()  # the annotated shape with what is bound, for the message
    text: str = ""  # of a value of another kind or run of axes: what is wrong


def expected_shape(spec: ArraySpec, names: Names) -> Shape:
    """The annotated shape with the names that are bound replaced, for a message."""
    entries: list[Entry] = []
    for dim in spec.axes.dims:
        if dim.variadic:
            entries.append(Pack(dim.name) if dim.kind == "named" else ANY_AXES)
        elif dim.kind == "fixed":
            entries.append(dim.size or 0)
        elif dim.kind == "named" and dim.name in names.sizes:
            entries.append(names.sizes[dim.name])
        elif dim.kind == "symbolic":
            known = evaluate(dim, names.sizes.get, names.brace)
            entries.append(unknown(dim.text) if known is None else known)
        else:
            entries.append(unknown(dim.text))
    return tuple(entries)


def shown_shape(spec: ArraySpec, names: Names, binder: str = "the result") -> Shape:
    """Likewise, with the names that the value itself has bound left as they are written."""
    wanted = expected_shape(spec, names)
    if len(wanted) != len(spec.axes.dims):
        return wanted
    return tuple(
        unknown(d.text) if d.kind == "named" and names.binders.get(d.name) == binder else e
        for d, e in zip(spec.axes.dims, wanted, strict=True)
    )
