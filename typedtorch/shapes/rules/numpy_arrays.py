"""numpy arrays: the functions and methods that stand around torch code.

Shapes follow the same rules; what differs are the names ``axis`` and ``keepdims`` and the promotion.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.dtypes import ANY, BIT, BOOL, FLOAT64, INT64, INTEGRAL
from typedtorch.shapes.rule import attribute, name, rule
from typedtorch.shapes.rules import creation, indexing, joining, linear, reduction, sorting, views
from typedtorch.shapes.rules.einsum import einsum
from typedtorch.shapes.rules.forms import Function, broadcast_operands, is_size, need, under
from typedtorch.shapes.rules.promotion import to_real
from typedtorch.shapes.size import Poly, unknown
from typedtorch.shapes.tensor import (
    ANY_AXES,
    UNKNOWN,
    Dtype,
    Scalar,
    ShapeError,
    Tensor,
    Undecided,
)

# --- dtypes ------------------------------------------------------------------------------------

_WIDTH = {
    "bool": 8, "uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64, "int8": 8, "int16": 16, "int32": 32,
    "int64": 64, "float16": 16, "float32": 32, "float64": 64, "complex64": 64, "complex128": 128,
}  # fmt: skip
_KINDS = ("bool", "uint", "int", "float", "complex")
_KNOWN = dtypes._union(*_WIDTH)


def _kind(dtype: str) -> str:
    return dtype.rstrip("0123456789")


@lru_cache(maxsize=1024)
def _promote_names(a: str, b: str) -> str:
    """numpy's promotion of two dtypes: the smallest that holds both."""
    if a == b:
        return a
    if _KINDS.index(_kind(a)) > _KINDS.index(_kind(b)):
        a, b = b, a
    low, high = _kind(a), _kind(b)
    if low == "bool":
        return b
    if low == high:
        return a if _WIDTH[a] > _WIDTH[b] else b
    if low == "uint" and high == "int":
        wide = max(_WIDTH[b], 2 * _WIDTH[a])
        return f"int{wide}" if wide <= 64 else "float64"
    real = {"float16": 8, "float32": 16, "float64": 64}
    if low == "float":
        return b if _WIDTH[a] * 2 <= _WIDTH[b] else "complex128"
    part = b if high == "float" else {"complex64": "float32", "complex128": "float64"}[b]
    width = _WIDTH[a]
    joint = part if width <= real[part] else "float32" if width <= 16 else "float64"
    return joint if high == "float" else {"float32": "complex64", "float64": "complex128"}[joint]


@lru_cache(maxsize=4096)
def promote(a: int, b: int) -> int:
    """The same on sets; anything outside numpy's own numbers makes it unknown."""
    if (a | b) & ~_KNOWN:
        return ANY
    result = 0
    for x in dtypes.members(a):
        for y in dtypes.members(b):
            result |= BIT[_promote_names(dtypes.show(x), dtypes.show(y))]
    return result


def _mask(value: Any) -> int:
    return value.dtype if isinstance(value, Tensor) else ANY


def _result(*operands: Any) -> int:
    """Arrays promote; Python numbers take part only by their kind."""
    mask = 0
    for operand in operands:
        if isinstance(operand, Tensor):
            mask = promote(mask, operand.dtype) if mask else operand.dtype
    for operand in operands:
        if not isinstance(operand, Tensor):
            mask = _with_number(mask, operand)
    return mask


def _with_number(mask: int, number: Any) -> int:
    if isinstance(number, bool) or (isinstance(number, Scalar) and number.kind == "bool"):
        return mask
    if isinstance(number, (int, Poly)):
        return mask & ~BOOL | (INT64 if mask & BOOL else 0)
    if isinstance(number, (float, Scalar)):
        floats = mask & ~INTEGRAL
        return floats | (FLOAT64 if mask & INTEGRAL else 0)
    return ANY


# what sqrt and its like make of an integer: the smallest float that holds it
_AS_FLOAT = {
    "bool": "float16", "uint8": "float16", "int8": "float16", "uint16": "float32", "int16": "float32",
    "uint32": "float64", "int32": "float64", "uint64": "float64", "int64": "float64",
}  # fmt: skip


@lru_cache(maxsize=1024)
def _floating(mask: int) -> int:
    if mask & ~_KNOWN:
        return ANY
    result = 0
    for one in dtypes.members(mask):
        result |= BIT[_AS_FLOAT.get(dtypes.show(one), dtypes.show(one))]
    return result


def _double(mask: int) -> int:
    """What a mean or a quotient of integers is."""
    return mask & ~INTEGRAL | (FLOAT64 if mask & INTEGRAL else 0)


def _dtype(value: Any, default: int) -> int:
    if value is None:
        return default
    if isinstance(value, Dtype):
        return value.mask
    return ANY


def _array(value: Any) -> Tensor:
    """An argument as an array: lists are converted."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, (list, tuple)):
        shape, mask = creation._data(list(value))
        return Tensor(shape, _double_default(mask), library="numpy")
    raise Undecided


def _double_default(mask: int) -> int:
    return mask & ~dtypes.FLOAT32 | (FLOAT64 if mask & dtypes.FLOAT32 else 0)


def _numpy(made: Any) -> Any:
    """The result of a torch rule, as an array."""
    if isinstance(made, Tensor):
        return Tensor(made.shape, made.dtype, library="numpy")
    if isinstance(made, (tuple, list)):
        return tuple(_numpy(m) for m in made)
    return made


def _names(words: str) -> tuple[str, ...]:
    return under("numpy", words)


def _methods(words: str) -> tuple[str, ...]:
    return under("numpy.ndarray", words)


# --- creation ----------------------------------------------------------------------------------


@rule(*_names("zeros ones empty"), sample="(size:a, size:b) | size:a | (size:a, 2), dtype=ndtype")
def zeros(shape: Any, dtype: Any = None, order: Any = "C", **settings: Any) -> Tensor:
    return _numpy(creation._new([shape] if is_size(shape) else list(shape), _dtype(dtype, FLOAT64)))


@rule(*_names("full"), sample="(size:a, size:b), 0.5 | size:a, 1")
def full(shape: Any, fill_value: Any, dtype: Any = None, order: Any = "C", **settings: Any) -> Tensor:
    kind = ANY if isinstance(fill_value, Tensor) or fill_value is UNKNOWN else _with_number(BOOL, fill_value)
    return _numpy(creation._new([shape] if is_size(shape) else list(shape), _dtype(dtype, kind)))


@rule(*_names("zeros_like ones_like empty_like copy"), sample="@n:*")
def zeros_like(a: Any, dtype: Any = None, **settings: Any) -> Tensor:
    array = _array(a)
    return Tensor(array.shape, _dtype(dtype, array.dtype), library="numpy")


@rule(*_names("full_like"), sample="@n:*, 1")
def full_like(a: Any, fill_value: Any, dtype: Any = None, **settings: Any) -> Tensor:
    return zeros_like(a, dtype)


@rule(*_names("arange"), sample="size:a | 2, 9 | 0, size:a, 2 | 0.0, 1.0, 0.25")
def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None, **settings: Any) -> Tensor:
    made = creation.arange(start, stop, step)
    return Tensor(made.shape, _dtype(dtype, _double_default(made.dtype)), library="numpy")


@rule(*_names("linspace"), sample="0.0, 1.0, size:n | 0, 1, 5 | 0.0, 1.0")
def linspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: Any = True,
    retstep: Any = False,
    dtype: Any = None,
    axis: Any = 0,
) -> Tensor:
    if retstep is not False or isinstance(start, Tensor) or isinstance(stop, Tensor):
        raise Undecided
    return Tensor((num if is_size(num) else unknown(),), _dtype(dtype, FLOAT64), library="numpy")


@rule(*_names("eye identity"), sample="size:n")
def eye(N: Any, M: Any = None, k: Any = 0, dtype: Any = None, **settings: Any) -> Tensor:
    return _numpy(creation._new((N, N if M is None else M), _dtype(dtype, FLOAT64)))


@rule(*_names("array asarray"), sample="[1, 2, 3] | [[0.5, 1]] | @n:* | 3.0")
def array(object: Any, dtype: Any = None, **settings: Any) -> Tensor:
    if isinstance(object, Tensor):
        return zeros_like(object, dtype)
    if object is UNKNOWN:
        return Tensor((ANY_AXES,), _dtype(dtype, ANY), library="numpy")
    shape, mask = creation._data(object)
    return Tensor(shape, _dtype(dtype, _double_default(mask)), library="numpy")


@rule("numpy.random.rand", "numpy.random.randn", sample="size:a, size:b | size:a")
def rand(*size: Any) -> Tensor:
    if not size:
        raise Undecided
    return _numpy(creation._new(size, FLOAT64))


@rule(
    "numpy.random.random",
    "numpy.random.standard_normal",
    "numpy.random.random_sample",
    sample="(size:a, size:b) | size:a",
)
def random(size: Any = None) -> Tensor:
    if size is None:
        raise Undecided
    return zeros(size)


@rule("numpy.random.normal", "numpy.random.uniform", sample="0.0, 1.0, (size:a, 2) | 0.0, 1.0, size:a")
def normal(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Tensor:
    return random(size)


@rule("numpy.random.randint", sample="0, 5, (size:a, 2) | 0, 5, size:a")
def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = None) -> Tensor:
    if size is None:
        raise Undecided
    return _numpy(creation._new([size] if is_size(size) else list(size), _dtype(dtype, INT64)))


@rule("numpy.random.permutation", sample="size:n | @f:a b")
def permutation(x: Any) -> Tensor:
    return zeros_like(x) if isinstance(x, Tensor) else arange(x)


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
        "exp exp2 expm1 log log2 log10 log1p sqrt sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh arccosh arctanh"
    ),
    sample="@n:*",
)(_unary(_floating))
rule(*_names("deg2rad rad2deg cbrt rint"), sample="@f:*")(_unary(_floating))
rule(*_names("abs absolute"), *_methods("__abs__"), sample="@n:*")(_unary(to_real))
rule(*_names("nan_to_num"), *_methods("__pos__"), sample="@f:*")(_unary(_same))
rule(*_names("square sign negative"), *_methods("__neg__"), sample="@f:*")(_unary(_number))
rule(*_names("floor ceil trunc round"), sample="@f:*")(_unary(_same))
rule(*_names("isnan isinf isfinite logical_not"), sample="@f:*")(_unary(_bool))
rule(*_names("invert"), *_methods("__invert__"), sample="@b:*")(_unary(_same))
rule(*_names("flip"), sample="@n:a b")(_unary(_same))


def _pair(result: Any) -> Function:
    def binary(x1: Any, x2: Any, **settings: Any) -> Tensor:
        if x1 is UNKNOWN or x2 is UNKNOWN:
            raise Undecided
        left, right = (_array(x) if isinstance(x, (list, tuple)) else x for x in (x1, x2))
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


# --- shapes ------------------------------------------------------------------------------------


@rule(*_names("reshape"), sample="@f:a b, (size:a*b,) | @f:a b, (-1, size:b) | @f:a b, -1")
def reshape(a: Any, shape: Any, order: Any = "C") -> Tensor:
    return _numpy(views._reshaped(_array(a), views.sizes_of((shape,)), name(a, "a")))


@rule(*_methods("reshape"), sample="@f:a b, size:a*b | @f:a b, (-1, size:b) | @f:a b, size:b, -1")
def reshape_method(self: Any, *shape: Any, order: Any = "C") -> Tensor:
    return _numpy(views._reshaped(need(self), views.sizes_of(shape), name(self, "self")))


@rule(*_methods("flatten ravel"), *_names("ravel"), sample="@f:*")
def flatten(a: Any, order: Any = "C") -> Tensor:
    return _numpy(views.flatten(_array(a)))


@rule(*_names("transpose"), sample="@f:a b c | @f:a b c, (2, 0, 1)")
def transpose(a: Any, axes: Any = None) -> Tensor:
    return _numpy(views.T(_array(a)) if axes is None else views.permute(a, axes))


@rule(*_methods("transpose"), sample="@f:a b c | @f:a b c, 2, 0, 1 | @f:a b c, (0, 2, 1)")
def transpose_method(self: Any, *axes: Any) -> Tensor:
    return transpose(self, views.sizes_of(axes) if axes else None)


@attribute("numpy.ndarray.T", sample="@f:*")
def T(self: Any) -> Tensor:
    return transpose(self)


@rule(*_names("swapaxes"), *_methods("swapaxes"), sample="@f:a b c, 0, -1")
def swapaxes(a: Any, axis1: Any, axis2: Any) -> Tensor:
    if _array(a).rank == 0:
        raise Undecided
    return _numpy(views.transpose(_array(a), axis1, axis2))


@rule(*_names("moveaxis"), sample="@f:a b c, 0, -1")
def moveaxis(a: Any, source: Any, destination: Any) -> Tensor:
    return _numpy(views.movedim(_array(a), source, destination))


@rule(*_names("expand_dims"), sample="@f:a b, place")
def expand_dims(a: Any, axis: Any) -> Tensor:
    made: Tensor = views.unsqueeze(_array(a), axis)
    return Tensor(made.shape, made.dtype, deliberate=True, library="numpy")


@rule(*_names("squeeze"), *_methods("squeeze"), sample="@f:a 1 b | @f:a 1 b, 1")
def squeeze(a: Any, axis: Any = None) -> Tensor:
    given = _array(a)
    if axis is None:
        return _numpy(views.squeeze(given))
    made: Tensor = views.squeeze(given, axis)
    if made.rank is not None and given.rank is not None and len(made.shape) == len(given.shape):
        raise ShapeError(f"axis {axis} of {name(a, 'a')} is not 1")
    return _numpy(made)


@rule(*_names("broadcast_to"), sample="@f:1 a, (size:b, size:a)")
def broadcast_to(array: Any, shape: Any) -> Tensor:
    return _numpy(views.broadcast_to(_array(array), shape))


@rule(*_names("concatenate"), sample="[@f:a b, @f:c b] | [@f:a b, @f:a c], 1 | [@f:a b, @f:a c], axis=-1")
def concatenate(arrays: Any, axis: Any = 0, **settings: Any) -> Tensor:
    given = [_array(a) for a in joining.tensors_of(arrays)]
    if axis is None:
        raise Undecided
    if any(t.shape == (0,) for t in given):
        raise Undecided
    return Tensor(joining.cat(given, axis).shape, _result(*given), library="numpy")


@rule(*_names("stack"), sample="[@f:a b, @f:a b] | [@f:a b, @f:a b], -1")
def stack(arrays: Any, axis: Any = 0, **settings: Any) -> Tensor:
    given = joining.tensors_of(arrays)
    return Tensor(joining.stack(given, axis).shape, _result(*given), library="numpy")


@rule(*_names("hstack"), sample="[@f:a b, @f:a c] | [@f:a, @f:b]")
def hstack(tup: Any, **settings: Any) -> Tensor:
    given = joining.tensors_of(tup)
    return Tensor(joining.hstack(given).shape, _result(*given), library="numpy")


@rule(*_names("vstack"), sample="[@f:a b, @f:c b] | [@f:a, @f:a]")
def vstack(tup: Any, **settings: Any) -> Tensor:
    given = joining.tensors_of(tup)
    return Tensor(joining.vstack(given).shape, _result(*given), library="numpy")


@rule(*_names("split"), sample="@f:a 2*b, 2, 1 | @f:9 b, (2, 5)")
def split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    given = _array(ary)
    place, size = joining._cut(given, axis, name(ary, "ary"))
    if isinstance(indices_or_sections, int) and isinstance(size, int) and size % indices_or_sections:
        raise ShapeError(
            f"axis {axis} of {name(ary, 'ary')} is {size}, which {indices_or_sections} does not divide"
        )
    return _numpy(joining._pieces(given, place, joining._section_sizes(size, indices_or_sections)))


@rule(*_names("repeat"), *_methods("repeat"), sample="@f:a b, 2 | @f:a b, 3, dim")
def repeat(a: Any, repeats: Any, axis: Any = None) -> Tensor:
    return _numpy(views.repeat_interleave(_array(a), repeats, axis))


@rule(*_names("tile"), sample="@f:a b, (2, 3) | @f:a, 2")
def tile(A: Any, reps: Any) -> Tensor:
    given = _array(A)
    return _numpy(views.tile_method(given, *([reps] if is_size(reps) else reps)))


@rule(*_names("meshgrid"), sample="@f:a, @f:b | @f:a, @f:b, indexing='ij'")
def meshgrid(*xi: Any, indexing: Any = "xy", **settings: Any) -> Any:
    axes = joining.meshgrid(*(Tensor(views.flatten(_array(x)).shape) for x in xi), indexing=indexing)
    return tuple(Tensor(t.shape, _array(x).dtype, library="numpy") for t, x in zip(axes, xi, strict=True))


# --- products ----------------------------------------------------------------------------------


@rule(*_names("matmul"), *_methods("__matmul__"), sample="@f:... m k, @f:... k n | @f:m k, @f:k")
def matmul(x1: Any, x2: Any) -> Tensor:
    left, right = _array(x1), _array(x2)
    return Tensor(
        linear.matmul_shape(left, right, name(x1, "x1"), name(x2, "x2")),
        _result(left, right),
        library="numpy",
    )


@rule(*_names("dot"), *_methods("dot"), sample="@f:m k, @f:k n | @f:k, @f:k")
def dot(a: Any, b: Any) -> Tensor:
    left, right = _array(a), _array(b)
    if left.rank not in (1, 2) or right.rank not in (1, 2):
        raise Undecided
    return matmul(left, right)


@rule(*_names("outer"), sample="@f:a, @f:b")
def outer(a: Any, b: Any) -> Tensor:
    left, right = views.flatten(_array(a)), views.flatten(_array(b))
    return Tensor((*left.shape, *right.shape), _result(_array(a), _array(b)), library="numpy")


@rule(*_names("einsum"), sample="'bsd,dk->bsk', @f:b s d, @f:d k | 'ij->ji', @f:i j")
def numpy_einsum(subscripts: Any, *operands: Any, **settings: Any) -> Tensor:
    given = [_array(o) for o in operands]
    mask = _result(*given)
    return Tensor(
        einsum(subscripts, *(Tensor(t.shape, mask, t.label) for t in given)).shape, mask, library="numpy"
    )


# --- the rest ----------------------------------------------------------------------------------


@rule(*_methods("astype"), sample="@n:*, ndtype")
def astype(self: Any, dtype: Any, *settings: Any, **more: Any) -> Tensor:
    return Tensor(need(self).shape, _dtype(dtype, ANY), library="numpy")


@rule(*_methods("copy view"), sample="@n:*")
def copied(self: Any, *settings: Any) -> Tensor:
    if settings:
        raise Undecided
    return zeros_like(self)


rule(
    *_methods("__getitem__"),
    sample="@f:a b c, 0 | @f:a b, (slice(None), None) | @f:a b, (..., 0) | @f:a b, @I:n | @f:a b, @B:a b",
)(indexing.getitem)


@rule(*_names("argsort"), *_methods("argsort"), sample="@f:a b | @f:a b, dim")
def argsort(a: Any, axis: Any = -1, **settings: Any) -> Tensor:
    if axis is None:
        raise Undecided
    return Tensor(reduction._scan(_array(a), axis, INT64).shape, INT64, library="numpy")


@rule(*_names("sort"), sample="@f:a b | @f:a b, dim")
def sort(a: Any, axis: Any = -1, **settings: Any) -> Tensor:
    if axis is None:
        raise Undecided
    return _numpy(reduction._scan(_array(a), axis, _array(a).dtype))


@rule(*_names("unique"), sample="@f:a b")
def unique(ar: Any, *settings: Any, **more: Any) -> Tensor:
    if settings or more:
        raise Undecided
    return Tensor((unknown(),), _array(ar).dtype, library="numpy")


@rule(*_names("allclose"), sample="@f:a b, @f:a b")
def allclose(a: Any, b: Any, *settings: Any, **more: Any) -> Scalar:
    broadcast_operands((_array(a), "a"), (_array(b), "b"))
    return Scalar("bool")


attribute("numpy.ndarray.real", sample="@n:*")(_unary(to_real))
