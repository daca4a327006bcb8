"""numpy arrays: the functions and methods that stand around torch code.

Shapes follow the same rules; what differs are the names ``axis`` and ``keepdims`` and the promotion.
"""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.dtypes import ANY, BIT, BOOL, INT64, INTEGRAL
from typedtorch.shapes.rule import rule
from typedtorch.shapes.rules import reduction, sorting, views
from typedtorch.shapes.rules.forms import Function, broadcast_operands
from typedtorch.shapes.rules.numpy_dtypes import (
    _array,
    _double,
    _dtype,
    _floating,
    _methods,
    _names,
    _numpy,
    _result,
)
from typedtorch.shapes.rules.promotion import to_real
from typedtorch.shapes.tensor import (
    UNKNOWN,
    Dtype,
    Tensor,
    Undecided,
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


def _unary(result: Any) -> Function:
    def unary(x: Any, **settings: Any) -> Tensor:
        given = _array(x)
        return Tensor(given.shape, result(given.dtype), library="numpy")

    return unary


rule(
    *_names(
        "exp exp2 expm1 log log2 log10 log1p sqrt sin cos tan sinh cosh tanh arcsin arccos arctan "
        "arcsinh arccosh arctanh"
    ),
    sample="@n:*",
)(_unary(_floating))
rule(*_names("deg2rad rad2deg cbrt rint"), sample="@f:*")(_unary(_floating))
rule(*_names("abs absolute"), *_methods("__abs__"), sample="@n:*")(_unary(to_real))
rule(*_names("nan_to_num"), sample="@f:*")(_unary(_same))
rule(*_names("square sign negative"), *_methods("__neg__ __pos__"), sample="@f:*")(_unary(_number))
rule(*_names("floor ceil trunc round"), sample="@f:*")(_unary(_number))
rule(*_names("isnan isinf isfinite logical_not"), sample="@f:*")(_unary(_bool))
rule(*_names("invert"), *_methods("__invert__"), sample="@b:*")(_unary(_same))
rule(*_names("flip"), sample="@n:a b")(_unary(_same))


@rule(*_names("roll"), sample="@n:a b, 2 | @n:a b, -1, axis=1")
def roll(a: Any, shift: Any, axis: Any = None) -> Tensor:
    return _array(a)


def _pair(result: Any) -> Function:
    def binary(x1: Any, x2: Any, **settings: Any) -> Tensor:
        if x1 is UNKNOWN or x2 is UNKNOWN:
            raise Undecided
        left, right = (_array(x) if isinstance(x, (list, tuple)) else x for x in (x1, x2))
        if not isinstance(left, Tensor) and not isinstance(right, Tensor):
            raise Undecided  # two numbers make a number
        shape = broadcast_operands((left, "x1"), (right, "x2"))
        return Tensor(shape, result(_result(left, right)), library="numpy")

    return binary


def _reflected(function: Function) -> Function:
    def reflected(self: Any, other: Any) -> Any:
        return function(other, self)

    return reflected


_PAIR = "@f:#*, @f:#* | @f:*, 2.0"
for _words, _policy in (
    ("add multiply maximum minimum fmod power subtract mod remainder floor_divide", _same),
    ("divide true_divide arctan2 hypot logaddexp", _double),
):
    rule(*_names(_words), sample="@f:#*, @f:#*")(_pair(_policy))
rule(
    *_names(
        "equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor isclose"
    ),
    sample=_PAIR,
)(_pair(_bool))
rule(
    *_names("bitwise_and bitwise_or bitwise_xor"), *_methods("__and__ __or__ __xor__"), sample="@b:#*, @b:#*"
)(_pair(_same))
for _words, _policy in (("add mul sub mod floordiv pow", _same), ("truediv", _double)):
    for _word in _words.split():
        _function = _pair(_policy)
        rule(f"numpy.ndarray.__{_word}__", sample=_PAIR)(_function)
        rule(f"numpy.ndarray.__r{_word}__", sample="@f:*, 2.0")(_reflected(_function))
rule(*_methods("__eq__ __ne__ __lt__ __le__ __gt__ __ge__"), sample=_PAIR)(_pair(_bool))


@rule(*_names("where"), sample="@b:#*, @f:#*, @f:#* | @b:*, @f:*, 0.0")
def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    if x is None and y is None:
        return _numpy(sorting.nonzero(_array(condition), as_tuple=True))
    shape = broadcast_operands((_array(condition), "condition"), (x, "x"), (y, "y"))
    if any(v is UNKNOWN or isinstance(v, (list, tuple)) for v in (x, y)):
        raise Undecided
    return Tensor(
        shape, _result(x, y) if isinstance(x, Tensor) or isinstance(y, Tensor) else ANY, library="numpy"
    )


@rule(*_names("clip"), *_methods("clip"), sample="@f:*, 0.0, 1.0")
def clip(a: Any, a_min: Any = None, a_max: Any = None, **settings: Any) -> Tensor:
    if any(b is UNKNOWN or isinstance(b, (list, tuple)) for b in (a_min, a_max)):
        raise Undecided
    operands = [(o, p) for o, p in ((_array(a), "a"), (a_min, "min"), (a_max, "max")) if o is not None]
    return Tensor(broadcast_operands(*operands), _result(*(o for o, _ in operands)), library="numpy")


# --- reductions --------------------------------------------------------------------------------


def _reduction(result: Any) -> Function:
    def reduce(
        a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, **settings: Any
    ) -> Tensor:
        given = _array(a)
        mask = _dtype(dtype if isinstance(dtype, Dtype) else None, result(given.dtype))
        return _numpy(reduction._reduce(given, axis, keepdims, mask, "a"))

    return reduce


def _summed(mask: int) -> int:
    wide = BIT["uint64"] if mask & dtypes.UINT else 0
    return mask & ~INTEGRAL | (INT64 if mask & (dtypes.INT | BOOL) else 0) | wide


_DIMS = "@f:* | @f:*, dim | @f:*, axis=dim, keepdims=True"
rule(*_names("sum prod nansum"), *_methods("sum prod"), sample=_DIMS)(_reduction(_summed))
rule(*_names("mean average nanmean"), *_methods("mean"), sample="@f:* | @f:*, dim")(_reduction(_double))
rule(*_names("std var nanstd nanvar"), *_methods("std var"), sample=_DIMS)(
    _reduction(lambda mask: to_real(_double(mask)))
)
rule(*_names("median nanmedian"), sample="@f:* | @f:*, dim")(_reduction(_double))


def _extreme(result: Any) -> Function:
    def reduce(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, **settings: Any) -> Tensor:
        given = _array(a)
        return _numpy(reduction._reduce(given, axis, keepdims, result(given.dtype), "a"))

    return reduce


rule(*_names("max min amax amin nanmax nanmin"), *_methods("max min"), sample=_DIMS)(_extreme(_same))
rule(*_names("any all"), *_methods("any all"), sample=_DIMS)(_extreme(_bool))
rule(
    *_names("argmax argmin"),
    *_methods("argmax argmin"),
    sample="@f:* | @f:*, dim | @f:*, axis=dim, keepdims=True",
)(_extreme(lambda _: INT64))


@rule(*_names("cumsum cumprod"), *_methods("cumsum cumprod"), sample="@f:a b, dim | @f:a b")
def cumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Tensor:
    given = _array(a)
    mask = _dtype(dtype, _summed(given.dtype))
    if axis is None:
        return _numpy(Tensor(views.flatten(given).shape, mask))
    return _numpy(reduction._scan(given, axis, mask))


@rule("numpy.linalg.norm", sample="@f:a b | @f:a b, axis=dim | @f:a b, axis=dim, keepdims=True")
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Tensor:
    given = _array(x)
    if given.rank == 0 and axis is not None:
        raise Undecided
    return _numpy(reduction._reduce(given, axis, keepdims, _double(to_real(given.dtype)), "x"))
