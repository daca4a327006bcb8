"""Operators that reduce axes: sums, means, extremes."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

import contextlib
from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.dtypes import (
    ANY,
    BOOL,
    COMPLEX,
    FLOATING,
    INT64,
    INTEGRAL,
    NOT_COMPLEX,
    UINT8,
    to_float,
)
from typedtorch.shapes.rule import Record, name, rule
from typedtorch.shapes.rules.forms import both, broadcast_operands, functional, literal, need, reduced, under
from typedtorch.shapes.rules.pointwise import RULE_OF
from typedtorch.shapes.rules.promotion import (
    common_dtype,
    dtype_of,
    mask_of,
    result_type,
    stretched,
    to_real,
    want,
)
from typedtorch.shapes.tensor import (
    ANY_AXES,
    UNKNOWN,
    ShapeError,
    Tensor,
    Undecided,
    axis_index,
    entry_size,
    replaced,
    show,
)

_DIMS = "n:* | n:*, axis=dim, keepdims=bool | n:*, dim | n:*, dims, bool | n:*, dim=dim, keepdim=True"


def reduce_axes(input: Any, dim: Any, keepdim: Any, dtype: int, parameter: str = "input") -> Tensor:
    """What a reduction over one axis, several or all of them gives."""
    tensor = need(input)
    if tensor.library == "torch":
        _wants_a_flag(dim, keepdim)
    return tensor.of(reduced(tensor.shape, dim, keepdim, name(tensor, parameter)), dtype)


def _wants_a_flag(dim: Any, keepdim: Any) -> None:
    """``x.mean(0, 1)``: the second number is no further axis, and torch takes none for a bool."""
    if type(keepdim) is int:
        several = f"; two axes are dim=({dim}, {keepdim})" if type(dim) is int else ""
        raise ShapeError(f"keepdim is {keepdim}, wanted True or False{several}")


def _extreme(input: Any, dim: Any, keepdim: Any, mask: int, what: str) -> Tensor:
    """The largest or smallest: of no element there is none.

    Raises:
        ShapeError: an axis that is reduced has size 0.
    """
    made = reduce_axes(input, dim, keepdim, mask)
    if 0 in input.shape and dim is not UNKNOWN and input.rank is not None:
        given = list(dim) if isinstance(dim, (tuple, list)) else [] if dim is None else [dim]
        places = [axis_index(input.shape, literal(d)) for d in given] or range(len(input.shape))
        if any(input.shape[i] == 0 for i in places):
            raise ShapeError(f"{name(input, 'input')} has shape {show(input.shape)}: {what} of no element")
    return made


def _one_axis(dim: Any, what: str) -> None:
    if isinstance(dim, (tuple, list)):
        raise ShapeError(f"{what} takes one axis, got dim={dim}")


def summed(mask: int) -> int:
    """Integers and masks are added up in int64."""
    return mask & ~INTEGRAL | (INT64 if mask & INTEGRAL else 0)


@rule(*both("sum", "nansum"), sample=_DIMS + " | n:*, dim, dtype=dtype")
def sum(input: Any, dim: Any = None, keepdim: Any = False, *, dtype: Any = None, out: Any = None) -> Tensor:
    return reduce_axes(input, dim, keepdim, dtype_of(dtype, summed(mask_of(need(input)))))


@rule(*both("prod"), sample="n:* | n:*, dim | n:*, dim, bool")
def prod(input: Any, dim: Any = None, keepdim: Any = False, *, dtype: Any = None, out: Any = None) -> Tensor:
    _one_axis(dim, "prod")
    return reduce_axes(input, dim, keepdim, dtype_of(dtype, summed(mask_of(need(input)))))


@rule(*both("nanmean"), sample="f:* | f:*, dim | f:*, dims, bool | f:*, dim, dtype=fdtype")
def nanmean(
    input: Any, dim: Any = None, keepdim: Any = False, *, dtype: Any = None, out: Any = None
) -> Tensor:
    want(need(input), FLOATING | COMPLEX, "input", "a floating dtype")
    return mean(input, dim, keepdim, dtype=dtype)


@rule(*both("mean"), sample="f:* | f:*, dim | f:*, dims, bool | n:*, dim, dtype=fdtype | i:*")
def mean(input: Any, dim: Any = None, keepdim: Any = False, *, dtype: Any = None, out: Any = None) -> Tensor:
    if dtype is not None:
        mask = dtype_of(dtype, ANY) & (FLOATING | COMPLEX)
        if not mask:
            raise ShapeError(f"mean computes in a floating dtype, got dtype={dtype}", "dtype")
        return reduce_axes(input, dim, keepdim, mask)
    who = name(input, "input")
    mask = want(
        need(input), FLOATING | COMPLEX, "input", "a floating dtype", f"cast first: {who}.float().mean()"
    )
    return reduce_axes(input, dim, keepdim, mask)


_FLOAT_DIMS = "f:* | f:*, dim | f:*, dims, keepdim=bool"


@rule(
    *both("std", "var"), sample=_FLOAT_DIMS + " | f:*, False | f:*, dim, False, True | f:*, dim, correction=0"
)
def var(
    input: Any,
    dim: Any = None,
    unbiased: Any = None,
    keepdim: Any = False,
    *,
    correction: Any = None,
    out: Any = None,
) -> Tensor:
    if isinstance(dim, bool):
        dim = None
    mask = want(
        need(input),
        FLOATING | COMPLEX,
        "input",
        "a floating dtype",
        f"cast first: {name(input, 'input')}.float()",
    )
    return reduce_axes(input, dim, keepdim, to_real(mask))


@rule("torch.std_mean", "torch.var_mean", sample=_FLOAT_DIMS)
def var_mean(
    input: Any,
    dim: Any = None,
    unbiased: Any = None,
    keepdim: Any = False,
    *,
    correction: Any = None,
    out: Any = None,
) -> tuple[Tensor, Tensor]:
    spread = var(input, dim, unbiased, keepdim, correction=correction)
    return spread, spread.of(spread.shape, mask_of(need(input)))


@rule(*both("logsumexp"), "torch.special.logsumexp", sample="n:*, dim | f:*, dims, bool")
def logsumexp(input: Any, dim: Any, keepdim: Any = False, *, out: Any = None) -> Tensor:
    return reduce_axes(input, dim, keepdim, to_float(mask_of(need(input))))


@rule(*both("all", "any"), sample=_DIMS)
def all(input: Any, dim: Any = None, keepdim: Any = False, *, out: Any = None) -> Tensor:
    mask = (UINT8 if mask_of(need(input)) & UINT8 else 0) | (BOOL if mask_of(input) & ~UINT8 else 0)
    if isinstance(dim, (tuple, list)) and not dim:
        return input.of(input.shape, mask)  # no axis, where sum(()) is over all
    return reduce_axes(input, dim, keepdim, mask)


@rule(*both("amax", "amin"), sample="r:*, dim | r:*, dims, bool | r:* | r:*, dim, keepdim=bool")
def amax(input: Any, dim: Any = (), keepdim: Any = False, *, out: Any = None) -> Tensor:
    return _extreme(
        input, dim, keepdim, want(need(input), NOT_COMPLEX, "input", "real numbers"), "the extreme"
    )


@rule(*both("aminmax"), sample="r:* | r:*, dim=dim | r:*, dim=dim, keepdim=bool")
def aminmax(input: Any, *, dim: Any = None, keepdim: Any = False, out: Any = None) -> Record:
    _one_axis(dim, "aminmax")
    made = amax(input, dim, keepdim)
    return Record(min=made, max=made)


@rule(*both("max", "min"), sample="r:* | r:*, dim | r:*, dim, bool | r:#*, r:#* | r:*, dim=dim, keepdim=True")
def max(input: Any, dim: Any = None, keepdim: Any = False, *, other: Any = None, out: Any = None) -> Any:
    """All of a tensor, one axis of it (with the indices), or two tensors element by element."""
    if isinstance(dim, Tensor) or isinstance(other, Tensor):
        return RULE_OF["maximum"](input, dim if isinstance(dim, Tensor) else other)
    mask = want(need(input), NOT_COMPLEX, "input", "real numbers")
    if dim is None:
        return _extreme(input, None, False, mask, "the extreme")
    _extreme(input, dim, keepdim, mask, "the extreme")
    return _with_indices(input, dim, keepdim, mask, "max")


def _with_indices(input: Any, dim: Any, keepdim: Any, mask: int, what: str) -> Record:
    if dim is UNKNOWN:
        raise Undecided
    _one_axis(dim, what)
    values = reduce_axes(input, dim, keepdim, mask)
    return Record(values=values, indices=values.of(values.shape, INT64))


@rule(*both("median", "nanmedian"), sample="r:* | r:*, dim | r:*, dim, bool")
def median(input: Any, dim: Any = None, keepdim: Any = False, *, out: Any = None) -> Any:
    mask = want(need(input), NOT_COMPLEX & ~BOOL, "input", "real numbers")
    return (
        reduce_axes(input, None, False, mask)
        if dim is None
        else _with_indices(input, dim, keepdim, mask, "median")
    )


@rule(*both("mode"), sample="r:* | r:*, dim | r:*, dim, bool")
def mode(input: Any, dim: Any = -1, keepdim: Any = False, *, out: Any = None) -> Record:
    return _with_indices(input, dim, keepdim, want(need(input), NOT_COMPLEX, "input", "real numbers"), "mode")


@rule(*both("kthvalue"), sample="r:*, 1 | r:*, 1, dim | r:*, 1, dim, bool")
def kthvalue(input: Any, k: Any, dim: Any = -1, keepdim: Any = False, *, out: Any = None) -> Record:
    mask = want(need(input), NOT_COMPLEX, "input", "real numbers")
    made = _with_indices(input, dim, keepdim, mask, "kthvalue")
    if isinstance(dim, int) and isinstance(k, int):
        size = entry_size(input.shape[axis_index(input.shape, dim)]) if input.shape else 1
        if k < 1 or (isinstance(size, int) and k > size):
            raise ShapeError(f"k={k} and axis {dim} of {name(input, 'input')} has size {size}")
    return made


@rule(*both("argmax", "argmin"), sample="r:* | r:*, dim | r:*, dim, bool | r:*, dim=dim, keepdim=True")
def argmax(input: Any, dim: Any = None, keepdim: Any = False) -> Tensor:
    want(need(input), NOT_COMPLEX & ~BOOL, "input", "real numbers")
    _one_axis(dim, "argmax")
    return _extreme(input, dim, keepdim, INT64, "the place")


@rule(*both("count_nonzero"), sample="n:* | n:*, dim | n:*, dims")
def count_nonzero(input: Any, dim: Any = None) -> Tensor:
    return reduce_axes(input, dim, False, INT64)


@rule(*both("quantile", "nanquantile"), sample="F:*, 0.5 | F:*, F:q, dim | F:*, 0.5, dim, bool | F:*, F:q")
def quantile(
    input: Any,
    q: Any,
    dim: Any = None,
    keepdim: Any = False,
    *,
    interpolation: Any = "linear",
    out: Any = None,
) -> Tensor:
    """Several quantiles come first: ``(q, ...)``."""
    mask = want(need(input), dtypes.FLOAT32 | dtypes.FLOAT64, "input", "float32 or float64")
    _one_axis(dim, "quantile")
    made = reduce_axes(input, dim, keepdim, mask)
    if not isinstance(q, Tensor):
        return made
    if q.rank is not None and len(q.shape) > 1:
        raise ShapeError(f"{name(q, 'q')} has rank {len(q.shape)}, wanted a number or one axis")
    common_dtype((input, "input"), (q, "q"), what="quantile")
    return made.of((*q.shape, *made.shape))


def scan(input: Any, dim: Any, mask: int) -> Tensor:
    """What an operator along one axis gives that keeps the shape, as ``cumsum`` does.

    Raises:
        ShapeError: the input does not have the axis, or several are given.
    """
    tensor = need(input)
    if dim is not UNKNOWN:
        _one_axis(dim, "this")
        with contextlib.suppress(Undecided):
            axis_index(tensor.shape, literal(dim), name(tensor, "input"))
    return tensor.of(tensor.shape, mask)


@rule(*both("cumsum", "cumprod"), sample="n:*, dim | n:*, dim, dtype=dtype")
def cumsum(input: Any, dim: Any, *, dtype: Any = None, out: Any = None) -> Tensor:
    return scan(input, dim, dtype_of(dtype, summed(mask_of(need(input)))))


@rule(*both("logcumsumexp"), sample="f:*, dim")
def logcumsumexp(input: Any, dim: Any, *, out: Any = None) -> Tensor:
    return scan(input, dim, want(need(input), FLOATING | COMPLEX, "input", "a floating dtype"))


@rule(*both("cummax", "cummin"), sample="r:*, dim")
def cummax(input: Any, dim: Any, *, out: Any = None) -> Record:
    allowed = NOT_COMPLEX if need(input).shape else ANY
    values = scan(input, dim, want(input, allowed, "input", "real numbers"))
    return Record(values=values, indices=values.of(values.shape, INT64))


@rule(
    *both("softmax", "log_softmax"),
    *under("torch.special", "softmax log_softmax"),
    sample="f:*, dim | f:*, dim, dtype=fdtype",
)
def softmax(input: Any, dim: Any = None, dtype: Any = None, *, out: Any = None) -> Tensor:
    if dtype is not None:
        computed = dtype_of(dtype, ANY) & FLOATING
        if not computed:
            raise ShapeError(f"softmax computes in a floating dtype, got dtype={dtype}", "dtype")
        return scan(input, dim, computed)
    who = name(input, "input")
    return scan(
        input, dim, want(need(input), FLOATING, "input", "a floating dtype", f"cast first: {who}.float()")
    )


@rule(*functional("softmax", "log_softmax", "softmin"), sample="f:*, dim | f:*, dim=dim, dtype=fdtype")
def functional_softmax(input: Any, dim: Any = None, _stacklevel: Any = 3, dtype: Any = None) -> Tensor:
    if dim is None:
        return need(input).of(need(input).shape, dtype_of(dtype, mask_of(need(input))))
    return softmax(input, dim, dtype)


@rule(*functional("gumbel_softmax"), sample="f:* | f:*, 0.5, bool, dim=dim")
def gumbel_softmax(logits: Any, tau: Any = 1, hard: Any = False, eps: Any = 1e-10, dim: Any = -1) -> Tensor:
    return scan(logits, dim, want(need(logits), FLOATING, "logits", "a floating dtype"))


@rule(*functional("normalize"), sample="f:*, 2.0, dim | f:*, dim=dim")
def normalize(input: Any, p: Any = 2.0, dim: Any = 1, eps: Any = 1e-12, out: Any = None) -> Tensor:
    mask = want(need(input), FLOATING | COMPLEX, "input", "a floating dtype")
    if isinstance(dim, (tuple, list)):
        reduced(input.shape, dim, True, name(input, "input"))
        return need(input).of(input.shape, mask)
    return scan(input, dim, mask)


@rule(*functional("glu"), sample="f:... 2*d | f:2*d ..., 0")
def glu(input: Any, dim: Any = -1) -> Tensor:
    """Half of an axis gates the other half."""
    tensor = need(input)
    mask = want(tensor, FLOATING, "input", "a floating dtype")
    try:
        place = axis_index(tensor.shape, literal(dim), name(tensor, "input"))
    except Undecided:
        return tensor.of((ANY_AXES,), mask)
    if not tensor.shape:
        raise ShapeError("glu needs at least one axis")
    size = entry_size(tensor.shape[place])
    if isinstance(size, int) and size % 2:
        raise ShapeError(f"glu halves axis {dim} of {name(tensor, 'input')}, which is {size}")
    return tensor.of(replaced(tensor.shape, place, size // 2), mask)


@rule(
    *functional("cosine_similarity"), "torch.cosine_similarity", sample="f:#*, f:#*, dim=dim | f:b d, f:b d"
)
def cosine_similarity(x1: Any, x2: Any, dim: Any = 1, eps: Any = 1e-8) -> Tensor:
    mask = result_type(stretched(need(x1)), stretched(need(x2)))
    if not mask & FLOATING:
        raise ShapeError(f"{name(x1, 'x1')} is {dtypes.show(mask)}, wanted a floating dtype", "dtype")
    shape = broadcast_operands((x1, "x1"), (x2, "x2"))
    return x1.of(reduced(shape, dim, False, "the operands"), mask)


@rule(
    *functional("pairwise_distance"),
    "torch.pairwise_distance",
    sample="f:b d, f:b d | f:#*, f:#*, keepdim=bool",
)
def pairwise_distance(x1: Any, x2: Any, p: Any = 2.0, eps: Any = 1e-6, keepdim: Any = False) -> Tensor:
    shape = broadcast_operands((need(x1), "x1"), (need(x2), "x2"))
    return x1.of(reduced(shape, -1, keepdim, "the operands"), to_real(to_float(result_type(x1, x2))))
