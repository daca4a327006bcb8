"""numpy: series, signals and their bins, and the parts of complex arrays."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.dtypes import ANY, FLOAT64, INT64
from typedtorch.shapes.rule import rule
from typedtorch.shapes.rules import reduction
from typedtorch.shapes.rules.forms import Function, expect_shape, is_size, literal, pointwise
from typedtorch.shapes.rules.numpy_dtypes import (
    as_array,
    as_item,
    float_holding,
    functions,
    mean_dtype,
    result_dtype,
    to_numpy,
)
from typedtorch.shapes.rules.promotion import dtype_of, want
from typedtorch.shapes.size import Size, unknown
from typedtorch.shapes.tensor import ShapeError, Tensor, Undecided, axis_index, replaced


def _series(value: Any) -> tuple[Tensor, Size]:
    """An array of one axis, and its length.

    Raises:
        Undecided: it may have another number of axes.
    """
    given = as_array(value)
    if given.rank != 1:
        raise Undecided
    return given, given.sizes()[0]


# --- points on curves --------------------------------------------------------------------------


@rule(*functions("interp"), sample="@r:*, @r:n, @r:n | 0.5, @r:n, @r:n")
def interp(x: Any, xp: Any, fp: Any, *settings: Any, **more: Any) -> Tensor:
    at, (values, _) = as_item(x), _series(fp)
    expect_shape(as_array(xp), "xp", values.shape)
    for array, parameter in ((at, "x"), (as_array(xp), "xp")):
        want(array, ~dtypes.COMPLEX, parameter, "real numbers")
    if values.dtype & dtypes.COMPLEX:
        raise Undecided
    return Tensor(at.shape, FLOAT64, library="numpy")


@rule(*functions("gradient"), sample="@F:n+1 | @F:a+1 b+1, axis=dim | @F:a+1 b+1, 0.5, axis=0")
def gradient(f: Any, *spacing: Any, axis: Any = None, edge_order: Any = 1) -> Tensor:
    given = as_array(f)
    if axis is None and given.rank != 1:
        raise Undecided  # one array for each axis
    place = axis_index(given.shape, 0 if axis is None else literal(axis), "f")
    if given.sizes()[place] == 1:
        raise ShapeError("gradient needs two points or more along the axis")
    return Tensor(given.shape, mean_dtype(given.dtype), library="numpy")


@rule(*functions("trapezoid"), sample="@f:a b | @f:a b, axis=0 | @f:n, dx=0.5")
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Tensor:
    given = as_array(y)
    if x is not None:
        raise Undecided
    return to_numpy(reduction.reduce_axes(given, axis, False, mean_dtype(given.dtype), "y"))


@rule(*functions("ediff1d"), sample="@F:n+1")
def ediff1d(ary: Any, *ends: Any, **more: Any) -> Tensor:
    given, length = _series(ary)
    if ends or more:
        raise Undecided
    return Tensor((length - 1,), given.dtype, library="numpy")


@rule(*functions("logspace geomspace"), sample="1.0, 2.0 | 1.0, 2.0, size:n | 1.0, 2.0, num=5")
def logspace(start: Any, stop: Any, num: Any = 50, *settings: Any, dtype: Any = None, **more: Any) -> Tensor:
    if settings or more.get("axis", 0) != 0 or not is_size(num) or isinstance(start, Tensor):
        raise Undecided
    if isinstance(stop, Tensor) or isinstance(start, complex) or isinstance(stop, complex):
        raise Undecided
    return Tensor((num,), dtype_of(dtype, FLOAT64), library="numpy")


# --- sums over windows and bins ----------------------------------------------------------------


@rule(
    *functions("convolve correlate"),
    sample="@f:n+1, @f:m+1, 'full' | @f:7, @f:3, mode='same' | @f:3, @f:7, 'valid' | @f:n, @f:3, 'valid'",
)
def convolve(a: Any, v: Any, mode: Any = None) -> Tensor:
    (left, n), (right, m) = _series(a), _series(v)
    if mode not in ("full", "same", "valid"):
        raise Undecided  # the two functions have defaults of their own
    length = n + m - 1 if mode == "full" else unknown()
    if isinstance(n, int) and isinstance(m, int) and mode != "full":
        length = max(n, m) if mode == "same" else abs(n - m) + 1
    if 0 in (n, m):
        raise ShapeError("convolve and correlate want no empty arrays")
    return Tensor((length,), result_dtype(left, right), library="numpy")


@rule(*functions("histogram"), sample="@F:n | @F:a b, 7 | @F:n, bins=size:k")
def histogram(a: Any, bins: Any = 10, *settings: Any, **more: Any) -> Any:
    as_array(a)
    if is_size(bins):
        count: Size = bins
    elif isinstance(bins, str):
        count = unknown()
    else:
        count = _series(bins)[1] - 1
    sums = INT64 if not settings and not more.keys() & {"weights", "density"} else ANY
    return Tensor((count,), sums, library="numpy"), Tensor((count + 1,), ANY, library="numpy")


# --- parts and turns ---------------------------------------------------------------------------


def _part(mask: int) -> int:
    real = mask & ~dtypes.COMPLEX
    if mask & dtypes.BIT["complex64"]:
        real |= dtypes.BIT["float32"]
    return real | (FLOAT64 if mask & dtypes.BIT["complex128"] else 0)


def _elementwise(result: Any) -> Function:
    def unary(x: Any, *settings: Any, **more: Any) -> Tensor:
        given = as_array(x)
        return to_numpy(given.of(given.shape, result(given.dtype)))

    return unary


rule(*functions("real imag"), sample="@f:* | @C:*")(_elementwise(_part))
rule(*functions("conj conjugate"), sample="@f:* | @C:*")(_elementwise(lambda mask: mask))
rule(*functions("angle"), sample="@F:* | @C:*")(_elementwise(lambda mask: float_holding(_part(mask))))


@rule(*functions("float_power heaviside"), sample="@F:#*, @F:#*")
def float_power(x1: Any, x2: Any, **settings: Any) -> Tensor:
    left, right = as_item(x1), as_item(x2)
    return to_numpy(pointwise((left, "x1"), (right, "x2"), dtype=ANY))


@rule(*functions("rot90"), sample="@f:a b | @f:a b c, 1, (1, 2) | @f:a b, 2 | @f:a b, k=-1")
def rot90(m: Any, k: Any = 1, axes: Any = (0, 1)) -> Tensor:
    given = as_array(m)
    if given.rank is None or not isinstance(axes, (tuple, list)):
        raise Undecided
    first, second = (axis_index(given.shape, literal(axis), "m") for axis in axes)
    sizes = given.sizes()
    turned = replaced(replaced(given.shape, first, sizes[second]), second, sizes[first])
    return Tensor(turned if literal(k) % 2 else given.shape, given.dtype, library="numpy")


@rule(*functions("tri"), sample="size:n | size:n, size:m | 3, 4, 1")
def tri(N: Any, M: Any = None, k: Any = 0, dtype: Any = None, **settings: Any) -> Tensor:
    if not is_size(N) or not (M is None or is_size(M)):
        raise Undecided
    return Tensor((N, N if M is None else M), dtype_of(dtype, FLOAT64), library="numpy")


__all__: list[str] = []
