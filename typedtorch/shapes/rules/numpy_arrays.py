"""numpy arrays: the functions and methods that stand around torch code.

Shapes follow the same rules; what differs are the names ``axis`` and ``keepdims`` and the promotion.
"""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.dtypes import ANY, BIT, BOOL, FLOATING, INT64, INTEGRAL
from typedtorch.shapes.rule import rule
from typedtorch.shapes.rules import reduction, sorting, views
from typedtorch.shapes.rules.forms import Function, pointwise
from typedtorch.shapes.rules.numpy_dtypes import (
    as_array,
    as_item,
    float_holding,
    functions,
    mean_dtype,
    methods,
    result_dtype,
    to_numpy,
)
from typedtorch.shapes.rules.pointwise import check_stored
from typedtorch.shapes.rules.promotion import dtype_of, to_real
from typedtorch.shapes.tensor import (
    UNKNOWN,
    Dtype,
    Pack,
    Tensor,
    Undecided,
    same_shape,
)

# --- element by element ------------------------------------------------------------------------


def _same(mask: int) -> int:
    return mask


def _number(mask: int) -> int:
    if mask == BOOL:
        raise Undecided
    return mask


def _bool(_: int) -> int:
    return BOOL


def elementwise(result: Any) -> Function:
    """The rule of a function of one array; ``result`` makes its dtypes of the array's."""

    def unary(x: Any, **settings: Any) -> Tensor:
        given = as_item(x)
        return to_numpy(given.of(given.shape, result(given.dtype)))

    return unary


rule(
    *functions(
        "exp exp2 expm1 log log2 log10 log1p sqrt sin cos tan sinh cosh tanh arcsin arccos arctan "
        "arcsinh arccosh arctanh"
    ),
    sample="@n:*",
)(elementwise(float_holding))
rule(*functions("deg2rad rad2deg degrees radians cbrt rint fabs"), sample="@f:*")(elementwise(float_holding))
rule(*functions("abs absolute"), *methods("__abs__"), sample="@n:*")(elementwise(to_real))
rule(*functions("nan_to_num"), sample="@f:*")(elementwise(_same))
rule(*functions("square sign negative"), *methods("__neg__ __pos__"), sample="@f:*")(elementwise(_number))
rule(*functions("floor ceil trunc round around fix"), sample="@f:*")(elementwise(_number))
rule(*functions("isnan isinf isfinite logical_not"), sample="@f:*")(elementwise(_bool))
rule(*functions("invert"), *methods("__invert__"), sample="@b:*")(elementwise(_same))
rule(*functions("flip"), sample="@n:a b")(elementwise(_same))


@rule(*functions("roll"), sample="@n:a b, 2 | @n:a b, -1, axis=1")
def roll(a: Any, shift: Any, axis: Any = None) -> Tensor:
    return as_array(a)


def _pair(result: Any) -> Function:
    def binary(x1: Any, x2: Any, **settings: Any) -> Tensor:
        if x1 is UNKNOWN or x2 is UNKNOWN:
            raise Undecided
        left, right = (as_array(x) if isinstance(x, (list, tuple)) else x for x in (x1, x2))
        if not isinstance(left, Tensor) and not isinstance(right, Tensor):
            raise Undecided  # two numbers make a number
        return to_numpy(pointwise((left, "x1"), (right, "x2"), dtype=result(result_dtype(left, right))))

    return binary


def _reflected(function: Function) -> Function:
    def reflected(self: Any, other: Any) -> Any:
        return function(other, self)

    return reflected


def _in_place(function: Function, operator: str) -> Function:
    """``a += b`` writes into ``a``; a number that numpy made, and an array of jax, become another."""

    def inplace(self: Any, other: Any) -> Tensor:
        made = function(self, other)
        if not self.shape or any(isinstance(axis, Pack) for axis in self.shape):
            return to_numpy(made.of(made.shape, self.dtype | made.dtype))
        if self.dtype & ~FLOATING and self.dtype & ~INTEGRAL:  # it may be one of jax
            if same_shape(self.shape, made.shape) is not True:
                raise Undecided
            return self
        check_stored(self, made, f"the in-place {operator}")
        return self

    return inplace


_PAIR = "@f:#*, @f:#* | @f:*, 2.0"
for _words, _policy in (
    ("add multiply maximum minimum fmod power subtract mod remainder floor_divide", _same),
    ("divide true_divide arctan2 hypot logaddexp", mean_dtype),
):
    rule(*functions(_words), sample="@f:#*, @f:#*")(_pair(_policy))
rule(
    *functions(
        "equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor isclose"
    ),
    sample=_PAIR,
)(_pair(_bool))
rule(
    *functions("bitwise_and bitwise_or bitwise_xor"),
    *methods("__and__ __or__ __xor__"),
    sample="@b:#*, @b:#*",
)(_pair(_same))
for _word in ("and", "or", "xor"):
    rule(*methods(f"__i{_word}__"), sample="@b:*, @b:*")(_in_place(_pair(_same), _word))
for _words, _policy in (("add mul sub mod floordiv pow", _same), ("truediv", mean_dtype)):
    for _word in _words.split():
        _function = _pair(_policy)
        rule(f"numpy.ndarray.__{_word}__", sample=_PAIR)(_function)
        rule(f"numpy.ndarray.__r{_word}__", sample="@f:*, 2.0")(_reflected(_function))
        rule(f"numpy.ndarray.__i{_word}__", sample="@f:*, 2.0 | @f:a b, @f:b")(
            _in_place(_function, _word.removeprefix("true"))
        )
rule(*methods("__eq__ __ne__ __lt__ __le__ __gt__ __ge__"), sample=_PAIR)(_pair(_bool))


@rule(*functions("where"), sample="@b:#*, @f:#*, @f:#* | @b:*, @f:*, 0.0")
def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    if x is None and y is None:
        return to_numpy(sorting.nonzero(as_array(condition), as_tuple=True))
    operands = ((as_array(condition), "condition"), (x, "x"), (y, "y"))
    dtype = result_dtype(x, y) if isinstance(x, Tensor) or isinstance(y, Tensor) else ANY
    return to_numpy(pointwise(*operands, dtype=dtype))


@rule(*functions("clip"), *methods("clip"), sample="@f:*, 0.0, 1.0")
def clip(a: Any, a_min: Any = None, a_max: Any = None, **settings: Any) -> Tensor:
    if any(b is UNKNOWN or isinstance(b, (list, tuple)) for b in (a_min, a_max)):
        raise Undecided
    operands = [(o, p) for o, p in ((as_array(a), "a"), (a_min, "min"), (a_max, "max")) if o is not None]
    return to_numpy(pointwise(*operands, dtype=result_dtype(*(o for o, _ in operands))))


# --- reductions --------------------------------------------------------------------------------


def _reduction(result: Any) -> Function:
    def reduce(
        a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, **settings: Any
    ) -> Tensor:
        given = as_array(a)
        mask = dtype_of(dtype if isinstance(dtype, Dtype) else None, result(given.dtype))
        return to_numpy(reduction.reduce_axes(given, axis, keepdims, mask, "a"))

    return reduce


def summed(mask: int) -> int:
    """What a sum of integers is: a wide one."""
    wide = BIT["uint64"] if mask & dtypes.UINT else 0
    return mask & ~INTEGRAL | (INT64 if mask & (dtypes.INT | BOOL) else 0) | wide


_DIMS = "@f:* | @f:*, dim | @f:*, axis=dim, keepdims=True"
rule(*functions("sum prod nansum"), *methods("sum prod"), sample=_DIMS)(_reduction(summed))
rule(*functions("mean average nanmean"), *methods("mean"), sample="@f:* | @f:*, dim")(_reduction(mean_dtype))
rule(*functions("std var nanstd nanvar"), *methods("std var"), sample=_DIMS)(
    _reduction(lambda mask: to_real(mean_dtype(mask)))
)
rule(*functions("median nanmedian"), sample="@f:* | @f:*, dim")(_reduction(mean_dtype))


def _extreme(result: Any) -> Function:
    def reduce(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, **settings: Any) -> Tensor:
        given = as_array(a)
        return to_numpy(reduction.reduce_axes(given, axis, keepdims, result(given.dtype), "a"))

    return reduce


rule(*functions("max min amax amin nanmax nanmin"), *methods("max min"), sample=_DIMS)(_extreme(_same))
rule(*functions("any all"), *methods("any all"), sample=_DIMS)(_extreme(_bool))
rule(
    *functions("argmax argmin"),
    *methods("argmax argmin"),
    sample="@f:* | @f:*, dim | @f:*, axis=dim, keepdims=True",
)(_extreme(lambda _: INT64))


@rule(*functions("cumsum cumprod"), *methods("cumsum cumprod"), sample="@f:a b, dim | @f:a b")
def cumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Tensor:
    given = as_array(a)
    mask = dtype_of(dtype, summed(given.dtype))
    if axis is None:
        return to_numpy(Tensor(views.flatten(given).shape, mask))
    return to_numpy(reduction.scan(given, axis, mask))


@rule("numpy.linalg.norm", sample="@f:a b | @f:a b, axis=dim | @f:a b, axis=dim, keepdims=True")
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Tensor:
    given = as_array(x)
    if given.rank == 0 and axis is not None:
        raise Undecided
    return to_numpy(reduction.reduce_axes(given, axis, keepdims, mean_dtype(to_real(given.dtype)), "x"))
