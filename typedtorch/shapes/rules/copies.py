"""What views give, in memory of its own: ``torch.permute_copy`` and its like; writing through a view."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

from typedtorch.shapes.dtypes import FLOAT32
from typedtorch.shapes.rule import RULES, rule
from typedtorch.shapes.rules import diagonals, extras, inplace, padding, permuting, splitting, views
from typedtorch.shapes.rules.forms import Function, counted, expect_shape, literal, need
from typedtorch.shapes.rules.promotion import dtype_of, mask_of
from typedtorch.shapes.rules.views import sizes_of
from typedtorch.shapes.tensor import ShapeError, Tensor, Undecided, shape_from, show

_FAMILIES = (diagonals, inplace, splitting, views)  # the views are entered before their copies


def _copied(view: Function) -> Function:
    @functools.wraps(view)
    def copy(*args: Any, **kwargs: Any) -> Any:
        return replace(view(*args, **kwargs), layout=None)

    return copy


for _view in (
    "detach", "diagonal", "permute", "select", "squeeze", "t", "transpose", "unfold",
    "unsqueeze", "view_as_real", "view_as_complex", "as_strided",
):  # fmt: skip
    _row = RULES.get(f"torch.{_view}") or RULES[f"torch.Tensor.{_view}"]
    rule(f"torch.{_view}_copy", sample=_row.sample)(_copied(_row.function))
rule("torch.alias_copy", sample="n:*")(_copied(permuting.clone))
rule("torch.narrow_copy", "torch.Tensor.narrow_copy", sample="f:a b, 1, 0, 1 | f:4 b, 0, 1, 2")(
    _copied(RULES["torch.narrow"].function)
)


@rule("torch.view_copy", sample="f:a b, (2, -1) | f:2*a b, (-1, 2) | f:a b, (-1,)")
def view_copy(input: Any, size: Any) -> Tensor:
    return replace(views.reshape(input, size), layout=None)


@rule("torch.expand_copy", sample="f:a 1, (size:a, 3) | f:a, (2, -1)")
def expand_copy(input: Any, size: Any) -> Tensor:
    return replace(views.expand(input, size), layout=None)


@rule("torch.split_copy", sample="f:4 b, 2 | f:a 6, 4, dim=1")
def split_copy(tensor: Any, split_size: Any, dim: Any = 0) -> tuple[Tensor, ...]:
    made: tuple[Tensor, ...] = _parts(splitting.split(tensor, literal(split_size), dim), None)
    return made


@rule("torch.split_with_sizes_copy", sample="f:4 b, (1, 3) | f:a 6, [4, 2], dim=1")
def split_with_sizes_copy(self: Any, split_sizes: Any, dim: Any = 0, *, out: Any = None) -> Any:
    return _parts(splitting.split_with_sizes(self, split_sizes, dim), out)


@rule("torch.unbind_copy", sample="f:3 a | f:a 2, -1")
def unbind_copy(input: Any, dim: Any = 0, *, out: Any = None) -> Any:
    return _parts(splitting.unbind(input, dim), out)


def _parts(parts: tuple[Tensor, ...], out: Any) -> Any:
    """Several tensors, or nothing where they are written into given ones."""
    return tuple(replace(part, layout=None) for part in parts) if out is None else None


@rule("torch.constant_pad_nd", sample="f:a b, (1, 2) | f:a b, (1, 2), 0.5")
def constant_pad_nd(input: Any, pad: Any, value: Any = 0) -> Tensor:
    return padding.pad(input, pad)


@rule("torch.as_strided_scatter", "torch.Tensor.as_strided_scatter", sample="f:4 5, f:2 2, (2, 2), (1, 2)")
def as_strided_scatter(input: Any, src: Any, size: Any, stride: Any, storage_offset: Any = None) -> Tensor:
    """The input with another tensor where a view of these sizes and strides would be."""
    expect_shape(src, "src", extras.as_strided(input, size, stride, storage_offset).shape)
    return need(input).of(input.shape, mask_of(input))


@rule("torch.empty_permuted", sample="(size:a, 2), (1, 0) | (size:a, 2, 3), (0, 2, 1), dtype=dtype")
def empty_permuted(size: Any, physical_layout: Any, *, dtype: Any = None, **settings: Any) -> Tensor:
    """Sizes in the order of the axes, and the order in which they lie in memory."""
    made = Tensor(shape_from(sizes_of((size,))), dtype_of(dtype, FLOAT32))
    if not isinstance(physical_layout, (list, tuple)) or made.rank is None:
        raise Undecided
    if sorted(literal(place) for place in counted(physical_layout)) != list(range(len(made.shape))):
        raise ShapeError(f"{tuple(physical_layout)} is no order of the axes of {show(made.shape)}")
    return made
