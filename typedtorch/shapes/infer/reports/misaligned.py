"""Why a shape does not fit: axes in another order, one too many, one too few."""

from __future__ import annotations

from typedtorch.shapes.axes import Dim
from typedtorch.shapes.differences import may_be_square, only_rounding
from typedtorch.shapes.equality import of_another
from typedtorch.shapes.infer.annotations.assuming import Names
from typedtorch.shapes.infer.annotations.problems import Problem, expected_shape, shown_shape
from typedtorch.shapes.infer.annotations.specs import ArraySpec
from typedtorch.shapes.infer.expressions.local_numbers import may_be_an_axis
from typedtorch.shapes.ones import counts_items
from typedtorch.shapes.scopes import INTEGER_SCOPE
from typedtorch.shapes.size import Size, axis, integer, is_counted, is_unknown
from typedtorch.shapes.tensor import Pack, Shape, Tensor


def reordered(spec: ArraySpec, value: Tensor) -> list[Problem]:
    """An attribute declared ``d k`` given ``(k, d)``: the same letters, in another order.

    One of three or more may be another, ``(b, t, h, d)`` for ``b h s d``.
    """
    dims = spec.axes.dims
    wanted, got = [d.text for d in dims], [str(e) for e in value.shape]
    if len(wanted) != len(got) or len(set(wanted)) < len(wanted) or len(set(got)) < len(got):
        return []
    if not all(d.kind == "named" and not d.variadic for d in dims):
        return []
    moved = [i for i, g in enumerate(got) if g in wanted and wanted[i] != g]
    if not moved or len(set(wanted) & set(got)) < max(2, len(wanted) - 1):
        return []
    at = moved[0]
    entry = value.shape[at]
    assert not isinstance(entry, Pack)
    as_written = tuple(axis(d.name) for d in dims)
    return [Problem("size", spec, value, "", dims[at], at, as_written[at], entry, None, as_written)]


def permuted_text(spec: ArraySpec, value: Tensor, names: Names, path: str) -> list[Problem]:
    """A caller's ``(d, 4)`` for ``4 d``: letter for letter the annotated axes, in another order."""
    dims = spec.axes.dims
    if names.generic or len(dims) != len(value.shape) or not any(d.kind == "fixed" for d in dims):
        return []
    wanted, got = [d.text for d in dims], [str(e) for e in value.shape]
    if wanted == got or sorted(wanted) != sorted(got) or len(set(wanted)) < len(wanted):
        return []
    if any(d.variadic for d in dims):
        return []  # which of the axes are those of the run is for the others to say
    at = next(i for i, (w, g) in enumerate(zip(wanted, got, strict=True)) if w != g)
    entry = value.shape[at]
    assert not isinstance(entry, Pack)
    as_written = tuple(d.size if d.size is not None else axis(d.name) for d in dims)
    return [Problem("size", spec, value, path, dims[at], at, as_written[at], entry, None, as_written)]


def misaligned(spec: ArraySpec, value: Tensor, names: Names, path: str) -> list[Problem]:
    """An axis that may be tied to the annotated one unsaid, but not where the tensor has both of them."""
    wanted = expected_shape(spec, names)
    for i, (dim, expected, got) in enumerate(zip(spec.axes.dims, wanted, value.shape, strict=True)):
        if (
            dim.broadcastable
            or dim.kind == "anonymous"
            or isinstance(expected, Pack)
            or isinstance(got, Pack)
        ):
            continue
        if expected == got or is_unknown(expected) or (is_unknown(got) and not is_counted(got)):
            continue
        if may_be_an_axis(expected, got):
            continue
        if isinstance(got, int) and names.tied is not None and names.tied(expected, got):
            continue  # three joints, each with three coordinates
        if expected not in value.shape and not (names.strict and got in wanted):
            continue
        if dim.kind == "named" and isinstance(expected, int) and _fits_elsewhere(expected, wanted, value):
            continue  # this call gives two axes one number
        square = sum(d.text == dim.text for d in spec.axes.dims) > 1
        if counts_items(got) and (isinstance(expected, int) or square):
            continue  # three axes make a rotation, d vectors a basis
        if square and of_another(got):
            continue  # each point in each of the frames that were made of the points
        if only_rounding(expected - got) or may_be_square(expected - got):
            continue  # n//2 and n - n//2 are the halves of what is meant to be even
        if str(expected) == str(got):
            continue  # one name in two objects: ``batch`` of the images and of the texts are one
        who, shown = names.binders.get(dim.name), shown_shape(spec, names, f"the result{path}")
        return [Problem("size", spec, value, path, dim, i, expected, got, who, shown)]
    return []


def misplaced(spec: ArraySpec, value: Tensor, names: Names, path: str) -> list[Problem]:
    """``grid(h: int, w: int) -> "h w"`` returns ``(w, h)``: the integer is there, under another's name.

    Not having it at all says nothing: ``sample(n: int) -> "n"`` may return fewer where there are fewer.
    """
    dims, shape = spec.axes.dims, value.shape
    meant = [_integer_in(dim, value) for dim in dims]
    written = shown_shape(spec, names, f"the result{path}")
    wanted = tuple(w if number is None else number for number, w in zip(meant, written, strict=True))
    for i, (dim, number, got) in enumerate(zip(dims, meant, shape, strict=True)):
        if number is None or got == number or isinstance(got, Pack) or is_unknown(got):
            continue
        bound_here = names.binders.get(dim.name, "").startswith("the result")
        if bound_here and _under_another_name(number, dim.name, spec, value):
            return [Problem("size", spec, value, path, dim, i, number, got, None, wanted)]
    return []


def _under_another_name(number: Size, name: str, spec: ArraySpec, value: Tensor) -> bool:
    return any(
        entry == number and dim.kind in ("named", "fixed") and dim.name != name
        for dim, entry in zip(spec.axes.dims, value.shape, strict=True)
    )


def _integer_in(dim: Dim, value: Tensor) -> Size | None:
    """The function's integer of an axis's name, where a tensor has an axis of that size."""
    if dim.kind != "named" or dim.variadic or dim.broadcastable:
        return None
    for number in (axis(dim.name, INTEGER_SCOPE), integer(dim.name)):
        if number in value.shape:
            return number
    return None


def permuted(spec: ArraySpec, value: Tensor, names: Names, path: str) -> list[Problem]:
    """The annotated axes in another order, where no single axis is a certain contradiction."""
    wanted, got = expected_shape(spec, names), value.shape
    if len(wanted) != len(got) or wanted == got or any(d.broadcastable for d in spec.axes.dims):
        return []
    for entry in (*wanted, *got):
        if (isinstance(entry, Pack) and entry.open) or (not isinstance(entry, Pack) and is_unknown(entry)):
            return []
    if sorted(map(str, wanted)) != sorted(map(str, got)) or set(wanted) != set(got):
        return []
    at = next(i for i, (w, g) in enumerate(zip(wanted, got, strict=True)) if w != g)
    expected, entry = wanted[at], got[at]
    if isinstance(expected, Pack) or isinstance(entry, Pack):
        return [Problem("pack", spec, value, path, spec.axes.dims[at], wanted=wanted)]
    return [Problem("size", spec, value, path, spec.axes.dims[at], at, expected, entry, None, wanted)]


def _fits_elsewhere(number: int, wanted: Shape, value: Tensor) -> bool:
    """Whether a tensor has a number only where the number is wanted."""
    return all(
        entry != number or expected == number for expected, entry in zip(wanted, value.shape, strict=True)
    )
