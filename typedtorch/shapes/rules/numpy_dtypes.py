"""numpy's promotion, on sets of dtypes."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.dtypes import ANY, BIT, BOOL, FLOAT64, INT64, INTEGRAL
from typedtorch.shapes.rules import creation
from typedtorch.shapes.rules.forms import under
from typedtorch.shapes.rules.promotion import scalar_dtype
from typedtorch.shapes.size import Poly, unknown
from typedtorch.shapes.tensor import (
    Scalar,
    Tensor,
    Undecided,
)

_WIDTH = {
    "bool": 8, "uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64, "int8": 8, "int16": 16, "int32": 32,
    "int64": 64, "float16": 16, "float32": 32, "float64": 64, "complex64": 64, "complex128": 128,
}  # fmt: skip
_KINDS = ("bool", "uint", "int", "float", "complex")
_KNOWN = dtypes.union(*_WIDTH)
_ADDED = dtypes.FLOATING & ~_KNOWN  # bfloat16 and its like, which a package adds to numpy
_HOLDS_ADDED = dtypes.FLOAT32 | FLOAT64


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
    """The same on sets; anything that is not known makes it unknown."""
    if (a | b) & ~(_KNOWN | _ADDED):
        return ANY
    result = 0
    for x in dtypes.members(a & _KNOWN):
        for y in dtypes.members(b & _KNOWN):
            result |= BIT[_promote_names(dtypes.show(x), dtypes.show(y))]
    for added, other in ((a & _ADDED, b), (b & _ADDED, a)):
        result |= _with_added(added, other) if added else 0
    return result


def _with_added(added: int, other: int) -> int:
    """Floats that are not numpy's own make some float, but of one that holds them all that one."""
    result = other & _HOLDS_ADDED
    if other & dtypes.COMPLEX:
        result |= dtypes.COMPLEX
    if other & ~(dtypes.COMPLEX | _HOLDS_ADDED):
        result |= dtypes.FLOAT | added
    return result


def result_dtype(*operands: Any) -> int:
    """The dtypes of a result: arrays promote, Python numbers take part only by their kind."""
    mask = 0
    for operand in operands:
        if isinstance(operand, Tensor):
            mask = promote(mask, operand.dtype) if mask else operand.dtype
    for operand in operands:
        if not isinstance(operand, Tensor):
            mask = with_number(mask, operand)
    return mask


def with_number(mask: int, number: Any) -> int:
    """The dtypes of an array that meets a Python number."""
    if isinstance(number, bool) or (isinstance(number, Scalar) and number.kind == "bool"):
        return mask
    if isinstance(number, (int, Poly)):
        return mask & ~BOOL | (INT64 if mask & BOOL else 0)
    floats = mask & ~INTEGRAL | (FLOAT64 if mask & INTEGRAL else 0)
    if isinstance(number, float) or (isinstance(number, Scalar) and number.kind == "float"):
        return floats
    if isinstance(number, Scalar) and number.kind == "real":
        return mask | floats | (INT64 if mask & BOOL else 0)
    return ANY


_AS_FLOAT = {
    "bool": "float16", "uint8": "float16", "int8": "float16", "uint16": "float32", "int16": "float32",
    "uint32": "float64", "int32": "float64", "uint64": "float64", "int64": "float64",
}  # fmt: skip


@lru_cache(maxsize=1024)
def float_holding(mask: int) -> int:
    """What sqrt and its like give: floats stay, an integer becomes the smallest float that holds it."""
    if mask & ~(_KNOWN | _ADDED):
        return ANY
    result = mask & _ADDED
    for one in dtypes.members(mask & _KNOWN):
        result |= BIT[_AS_FLOAT.get(dtypes.show(one), dtypes.show(one))]
    return result


def mean_dtype(mask: int) -> int:
    """What a mean or a quotient gives: float64 for integers."""
    return mask & ~INTEGRAL | (FLOAT64 if mask & INTEGRAL else 0)


def as_array(value: Any) -> Tensor:
    """An argument as an array: lists are converted.

    Raises:
        Undecided: it is something else.
    """
    if isinstance(value, Tensor):
        return value
    if isinstance(value, (list, tuple)):
        shape, mask = creation.shape_of_data(list(value))
        return Tensor(shape, numpy_default(mask), library="numpy")
    raise Undecided


def as_item(value: Any) -> Tensor:
    """An argument as an array; a Python number as numpy's own, which has no axes.

    Raises:
        Undecided: it is something else.
    """
    if isinstance(value, (int, float, Poly, Scalar)):
        mask = numpy_default(scalar_dtype(value))
        if not mask & dtypes.COMPLEX:
            return Tensor((), mask, library="numpy")
    return as_array(value)


def as_number(value: Any, place: str) -> Any:
    """An item of a numpy array as torch takes it, which is as a number; anything else as it is."""
    if not isinstance(value, Tensor) or value.library != "numpy" or value.shape:
        return value
    if not value.dtype & ~dtypes.FLOATING:
        return Scalar("float")
    if not value.dtype & ~INTEGRAL:
        return unknown(f"?{place}")
    return Scalar("bool") if value.dtype == dtypes.BOOL else value


def numpy_default(mask: int) -> int:
    """What numpy makes of numbers of which torch makes these dtypes: floats are float64."""
    return mask & ~dtypes.FLOAT32 | (FLOAT64 if mask & dtypes.FLOAT32 else 0)


def to_numpy(made: Any) -> Any:
    """The result of a torch rule, as an array."""
    if isinstance(made, Tensor):
        return Tensor(made.shape, made.dtype, deliberate=made.deliberate, library="numpy")
    if isinstance(made, (tuple, list)):
        return tuple(to_numpy(m) for m in made)
    return made


def functions(words: str) -> tuple[str, ...]:
    """Public names of functions, from words separated by spaces."""
    return under("numpy", words)


def methods(words: str) -> tuple[str, ...]:
    """Public names of methods of an array, from words separated by spaces."""
    return under("numpy.ndarray", words)
