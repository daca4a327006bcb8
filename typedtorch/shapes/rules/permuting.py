"""Operators that reorder axes or elements."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

import contextlib
from typing import Any

from typedtorch.shapes.rule import attribute, name, rule
from typedtorch.shapes.rules.forms import axes_of, both, counted, is_size, literal, need
from typedtorch.shapes.rules.layout import contiguous_strides, permuted
from typedtorch.shapes.rules.views import sizes_of
from typedtorch.shapes.size import Size, unknown
from typedtorch.shapes.tensor import (
    ANY_AXES,
    UNKNOWN,
    Pack,
    ShapeError,
    Tensor,
    Undecided,
    axis_index,
    pack_index,
    show,
)

# --- the order of axes -------------------------------------------------------------------------


def _permuted(tensor: Tensor, order: list[int]) -> Tensor:
    shape = tuple(tensor.shape[i] for i in order)
    return Tensor(
        shape,
        tensor.dtype,
        deliberate=tensor.deliberate,
        layout=permuted(tensor.layout, order),
        library=tensor.library,
    )


@rule(
    *both("transpose", "swapaxes", "swapdims"), sample="f:*, dim, dim | f:a b c d, 1, 2 | f:... a b, -1, -2"
)
def transpose(input: Any, dim0: Any, dim1: Any) -> Tensor:
    tensor, who = need(input), name(input, "input")
    try:
        i, j = (axis_index(tensor.shape, literal(d), who) for d in (dim0, dim1))
    except Undecided:
        unseen = (ANY_AXES,) if tensor.rank is None else tuple(unknown() for _ in tensor.shape)
        return tensor.of(unseen)
    if not tensor.shape:
        return tensor
    order = list(range(len(tensor.shape)))
    order[i], order[j] = j, i
    if (
        any(isinstance(e, Pack) for e in tensor.shape[min(i, j) + 1 : max(i, j)])
        or pack_index(tensor.shape) is not None
    ):
        return tensor.of(tuple(tensor.shape[k] for k in order))
    return _permuted(tensor, order)


@rule("torch.Tensor.permute", sample="f:*, perm | f:a b c, 0, 2, 1 | f:a b c, 2, 0, -2")
def permute_method(self: Any, *dims: Any) -> Tensor:
    return permute(self, sizes_of(dims))


@rule("torch.permute", sample="f:*, perm | f:a b c, (0, 2, 1)")
def permute(input: Any, dims: Any) -> Tensor:
    tensor, who, order = need(input), name(input, "input"), counted(sizes_of((dims,)))
    if tensor.rank is None:
        known = sum(not isinstance(e, Pack) for e in tensor.shape)
        if known > len(order):
            raise ShapeError(f"permute names {len(order)} axes and {who} has shape {show(tensor.shape)}")
        return tensor.of(tuple(unknown() for _ in order))
    if len(order) != len(tensor.shape):
        raise ShapeError(
            f"permute{tuple(order)} names {len(order)} axes and {who} has {len(tensor.shape)}: "
            f"{show(tensor.shape)}"
        )
    try:
        places = axes_of(tensor.shape, order, who)
    except Undecided:
        return tensor.of(tuple(unknown() for _ in order))
    return _permuted(tensor, places) if places and tensor.shape else tensor


@rule(*both("movedim", "moveaxis"), sample="f:*, dim, dim | f:a b c d, (0, 1), (-1, -2) | f:a b c, 0, -1")
def movedim(input: Any, source: Any, destination: Any) -> Tensor:
    tensor, who = need(input), name(input, "input")
    from_ = [source] if is_size(source) else counted(source)
    to = [destination] if is_size(destination) else counted(destination)
    if len(from_) != len(to):
        raise ShapeError(f"movedim from {len(from_)} axes to {len(to)}")
    try:
        tensor.sizes()
        sources, targets = axes_of(tensor.shape, from_, who), axes_of(tensor.shape, to, who)
    except Undecided:
        return tensor.of((ANY_AXES,) if tensor.rank is None else tuple(unknown() for _ in tensor.shape))
    if not tensor.shape:
        return tensor
    order: list[int | None] = [None] * len(tensor.shape)
    for s, t in zip(sources, targets, strict=True):
        order[t] = s
    rest = iter(i for i in range(len(tensor.shape)) if i not in sources)
    return _permuted(tensor, [next(rest) if o is None else o for o in order])


@rule(*both("t"), sample="f:a b | f:a")
def t(input: Any) -> Tensor:
    tensor = need(input)
    if tensor.rank is None:
        raise Undecided
    if len(tensor.shape) > 2:
        raise ShapeError(
            f"{name(input, 'input')} has shape {show(tensor.shape)}: t() takes two axes", hint="use .mT"
        )
    return transpose(tensor, 0, 1) if len(tensor.shape) == 2 else tensor


@attribute("torch.Tensor.T", sample="f:a b")
def T(self: Any) -> Tensor:
    tensor = need(self)
    if tensor.rank is None:
        return tensor.of((ANY_AXES,))
    return _permuted(tensor, list(reversed(range(len(tensor.shape)))))


@attribute("torch.Tensor.mT", "torch.Tensor.mH", sample="f:... a b | f:")
def mT(self: Any) -> Tensor:
    if need(self).rank == 0:
        return self
    if self.rank is not None and len(self.shape) < 2:
        raise ShapeError(f"{name(self, 'self')} has shape {show(self.shape)}: .mT swaps its last two axes")
    return transpose(self, -2, -1)


@attribute("torch.Tensor.H", sample="f:a b")
def H(self: Any) -> Tensor:
    if need(self).rank not in (None, 0, 2):
        raise ShapeError(
            f"{name(self, 'self')} has shape {show(self.shape)}: .H takes a matrix", hint="use .mH"
        )
    return T(self)


@rule(*both("adjoint"), sample="f:... a b")
def adjoint(input: Any) -> Tensor:
    return mT(input)


# --- the same shape ----------------------------------------------------------------------------


@rule(*both("flip"), sample="f:*, dims | f:a b, (0,)")
def flip(input: Any, *dims: Any) -> Tensor:
    tensor = need(input)
    with contextlib.suppress(Undecided):
        axes_of(tensor.shape, sizes_of(dims), name(input, "input"))
    return tensor.of(tensor.shape)


@rule(*both("fliplr"), sample="f:a b ...")
def fliplr(input: Any) -> Tensor:
    if need(input).rank in (0, 1):
        raise ShapeError(f"{name(input, 'input')} has shape {show(input.shape)}, wanted at least two axes")
    return input.of(input.shape)


@rule(*both("flipud"), sample="f:a ...")
def flipud(input: Any) -> Tensor:
    if need(input).rank == 0:
        raise ShapeError(f"{name(input, 'input')} has no axes")
    return input.of(input.shape)


@rule(*both("roll"), sample="f:*, 1 | f:*, 1, dim | f:a b, (1, 2), (0, 1)")
def roll(input: Any, shifts: Any, dims: Any = None) -> Tensor:
    tensor = need(input)
    if shifts is UNKNOWN or dims is UNKNOWN:
        return tensor.of(tensor.shape)
    given = [] if dims is None else [dims] if is_size(dims) else counted(dims)
    shifted = [shifts] if is_size(shifts) else counted(shifts)
    if (given and len(given) != len(shifted)) or (not given and len(shifted) > 1):
        raise ShapeError(f"roll has {len(shifted)} shifts and {len(given)} axes")
    if given and not tensor.shape:
        raise ShapeError(f"{name(input, 'input')} has no axes, dims={dims}")
    for dim in given:
        if isinstance(dim, int):
            with contextlib.suppress(Undecided):
                axis_index(tensor.shape, dim, name(input, "input"))
    return tensor.of(tensor.shape)


@rule(*both("rot90"), sample="f:a b c | f:a b, 1, (0, 1) | f:a b, 2, (0, 1)")
def rot90(input: Any, k: Any = 1, dims: Any = (0, 1)) -> Tensor:
    tensor = need(input)
    i, j = axes_of(tensor.sizes(), dims, name(input, "input"))
    order = list(range(len(tensor.shape)))
    if literal(k) % 2:
        order[i], order[j] = j, i
    return tensor.of(tensor.shape[p] for p in order)


@rule("torch.Tensor.contiguous", sample="n:*")
def contiguous(input: Any, *, memory_format: Any = None) -> Tensor:
    tensor = need(input)
    plain = memory_format is None and tensor.rank is not None
    return _in_layout(tensor, contiguous_strides(tensor.shape) if plain else None)


@rule(*both("clone"), sample="n:*")
def clone(input: Any, *, memory_format: Any = None) -> Tensor:
    """The axes stay in the order in which they lie in memory."""
    return _in_layout(need(input), input.layout if memory_format is None else None)


def _in_layout(tensor: Tensor, layout: tuple[Size, ...] | None) -> Tensor:
    return Tensor(
        tensor.shape, tensor.dtype, deliberate=tensor.deliberate, layout=layout, library=tensor.library
    )
