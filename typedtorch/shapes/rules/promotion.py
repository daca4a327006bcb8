"""torch's type promotion on sets of dtypes: tensors, 0-dim tensors and Python numbers.

>>> from typedtorch.shapes.axes import parse
>>> ints, half = Tensor((3,), dtypes.INT64), Tensor((3,), dtypes.FLOAT16)
>>> dtypes.show(result_type(ints, 1.5)), dtypes.show(result_type(half, 1.5))
('float32', 'float16')
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.dtypes import ANY, BIT, BOOL, COMPLEX, COMPLEX64, FLOAT32, FLOATING, INT64, INTEGRAL
from typedtorch.shapes.size import Poly
from typedtorch.shapes.tensor import Dtype, Pack, Scalar, ShapeError, Tensor, Undecided

OTHER = BIT["other"]


def torch_only(mask: int) -> int:
    """Without dtypes that torch does not have."""
    return mask & ~OTHER or mask


def mask_of(tensor: Tensor) -> int:
    """The dtypes that a tensor may have, those that its library has."""
    return torch_only(tensor.dtype) if tensor.library == "torch" else tensor.dtype


def with_dtype(tensor: Tensor, mask: int) -> Tensor:
    """A tensor of another dtype that lies in memory as this one does."""
    return Tensor(
        tensor.shape, mask, deliberate=tensor.deliberate, layout=tensor.layout, library=tensor.library
    )


def dtype_of(value: Any, default: int) -> int:
    """The dtype a ``dtype=`` argument asks for; the default where it is None."""
    if value is None:
        return default
    if isinstance(value, Dtype):
        return value.mask
    return ANY


def scalar_dtype(value: Any) -> int:
    """What a Python number counts as in promotion.

    Raises:
        Undecided: not a number.
    """
    match value:
        case bool() | Scalar(kind="bool"):
            return BOOL
        case int() | Poly():
            return INT64
        case float() | Scalar(kind="float"):
            return FLOAT32
        case complex() | Scalar(kind="complex"):
            return COMPLEX64
        case Scalar(kind="real"):
            return BOOL | INT64 | FLOAT32
    raise Undecided


_TO_COMPLEX = {
    BIT["float64"]: BIT["complex128"], BIT["float16"]: BIT["complex32"],
    BIT["float32"]: COMPLEX64, BIT["bfloat16"]: COMPLEX64,
}  # fmt: skip
_TO_REAL = {
    BIT["complex128"]: BIT["float64"], BIT["complex64"]: FLOAT32, BIT["complex32"]: BIT["float16"],
}  # fmt: skip


@lru_cache(maxsize=1024)
def to_complex(mask: int) -> int:
    """The complex dtype of a floating one; of several, those that have one."""
    result = 0
    for one in dtypes.members(mask):
        result |= _TO_COMPLEX.get(one, one)
    return result & COMPLEX or result


@lru_cache(maxsize=1024)
def to_real(mask: int) -> int:
    """The dtype of the real part, of ``abs``, of a norm."""
    result = 0
    for one in dtypes.members(mask):
        result |= _TO_REAL.get(one, one)
    return result


@lru_cache(maxsize=4096)
def _combine(higher: int, lower: int) -> int:
    """A stronger category with a weaker one: dimensioned over 0-dim over Python numbers."""
    if not higher or not lower:
        return higher or lower
    result = 0
    for x in dtypes.members(higher):
        for y in dtypes.members(lower):
            if x & COMPLEX:
                result |= x
            elif x & FLOATING:
                result |= to_complex(x) if y & COMPLEX else x
            elif x & BOOL or y & (FLOATING | COMPLEX):
                result |= dtypes.promote(x, y)
            else:
                result |= x
    return result


def result_type(*operands: Any) -> int:
    """The set of dtypes that ``torch.result_type`` may give.

    Raises:
        ShapeError: no combination of the operands' dtypes promotes.
        Undecided: an operand is neither a tensor nor a number.
    """
    dims: list[int] = []
    zeros: list[int] = []
    either: list[int] = []
    wrapped = 0
    for operand in operands:
        if isinstance(operand, Tensor):
            axes = [e for e in operand.shape if not isinstance(e, Pack)]
            place = dims if axes else either if operand.shape else zeros
            place.append(mask_of(operand))
        else:
            kind = scalar_dtype(operand)
            wrapped = dtypes.promote(wrapped, kind) if wrapped else kind
    result = 0
    # a tensor of unknown rank may be 0-dim or not
    for choice in range(1 << len(either)) if len(either) < 4 else (0, (1 << len(either)) - 1):
        high = [*dims, *(m for i, m in enumerate(either) if choice >> i & 1)]
        low = [*zeros, *(m for i, m in enumerate(either) if not choice >> i & 1)]
        result |= _combine(_all(high), _combine(_all(low), wrapped))
    return result


def stretched(tensor: Tensor) -> Tensor:
    """A tensor that is expanded before dtypes are promoted: one without axes has some then."""
    return tensor if tensor.shape else tensor.of((1,))


def _all(masks: list[int]) -> int:
    result = 0
    for mask in masks:
        before = result
        result = dtypes.promote(result, mask) if result else mask
        if not result:
            raise ShapeError(
                f"{dtypes.show(before)} and {dtypes.show(mask)} have no common dtype", code="dtype"
            )
    return result


def can_cast(source: int, target: int) -> bool:
    """Whether torch stores a result of one dtype in a tensor of another, for some of both."""
    return any(_castable(s, t) for s in dtypes.members(source) for t in dtypes.members(target))


def _castable(source: int, target: int) -> bool:
    if source & COMPLEX and not target & COMPLEX:
        return False
    if source & FLOATING and target & dtypes.INTEGRAL:
        return False
    return bool(source & BOOL) or not target & BOOL


def want(tensor: Tensor, allowed: int, parameter: str, wanted: str, hint: str | None = None) -> int:
    """The dtypes of a tensor that are allowed.

    Raises:
        ShapeError: none is.
    """
    kept = mask_of(tensor) & allowed
    if not kept:
        who = tensor.label or parameter
        raise ShapeError(f"{who} is {dtypes.show(mask_of(tensor))}, wanted {wanted}", "dtype", hint)
    return kept


def common_dtype(*operands: tuple[Tensor, str], what: str = "") -> int:
    """The one dtype that operands share where torch does not promote (matmul, conv, linear).

    Raises:
        ShapeError: two of them are known to differ.
    """
    result, first = ANY, None
    for tensor, parameter in operands:
        mask = mask_of(tensor)
        if first is None:
            first = (tensor, parameter)
        elif not mask & result:
            a, b = first[0].label or first[1], tensor.label or parameter
            raise ShapeError(
                f"{a} is {dtypes.show(result)} and {b} is {dtypes.show(mask)}"
                + (f"; {what} needs one dtype" if what else "; they must have one dtype"),
                "dtype",
                _cast_hint((a, result), (b, mask)),
            )
        result &= mask
    return result


def _cast_hint(first: tuple[str, int], second: tuple[str, int]) -> str:
    """An integer among floats is the one to cast; of what is complex a cast would lose a part."""
    (a, one), (b, other) = first, second
    if one & INTEGRAL == one and other & INTEGRAL != other:
        return f"cast it: {a}.float()"
    if other & INTEGRAL == other and one & INTEGRAL != one:
        return f"cast it: {b}.float()"
    for who, mask, partner, its in ((a, one, b, other), (b, other, a, one)):
        if mask & COMPLEX == mask and not its & COMPLEX:
            return f"{who}.abs() where its magnitude is meant, or {partner}.to({who}.dtype)"
    return f"cast one: {b}.to({a}.dtype)"
