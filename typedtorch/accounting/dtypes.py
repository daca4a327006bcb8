"""Every dtype of torch by its bits: exponent, mantissa, range and precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch

Kind = Literal["float", "complex", "int", "uint", "bool", "quantized"]


@dataclass(frozen=True)
class DtypeInfo:
    """``exponent`` and ``mantissa`` in bits (0 for integers); ``max`` the largest finite value.

    ``smallest_subnormal`` is None where the format has none; ``epsilon`` is the gap above 1.  For a
    complex dtype these describe one of its two parts, and ``bits`` both.  ``per_element`` tells how many
    values one element of the dtype packs.
    """

    name: str
    kind: Kind
    bits: int
    exponent: int
    mantissa: int
    max: float
    min: float
    smallest_normal: float | None
    smallest_subnormal: float | None
    epsilon: float | None
    per_element: int = 1

    @property
    def bytes(self) -> float:
        """Bytes of one value; half a byte where two are packed into one.

        >>> info(torch.bfloat16).bytes, info(torch.float4_e2m1fn_x2).bytes
        (2.0, 0.5)
        """
        return self.bits / 8


# name: exponent bits, mantissa bits, bias, codes of the top exponent that are not finite numbers
_FLOATS: dict[str, tuple[int, int, int, Literal["ieee", "one nan", "nan is minus zero", "none"]]] = {
    "float64": (11, 52, 1023, "ieee"),
    "float32": (8, 23, 127, "ieee"),
    "bfloat16": (8, 7, 127, "ieee"),
    "float16": (5, 10, 15, "ieee"),
    "float8_e5m2": (5, 2, 15, "ieee"),
    "float8_e4m3fn": (4, 3, 7, "one nan"),
    "float8_e5m2fnuz": (5, 2, 16, "nan is minus zero"),
    "float8_e4m3fnuz": (4, 3, 8, "nan is minus zero"),
    "float4_e2m1fn_x2": (2, 1, 1, "none"),
}
_PARTS = {"complex32": "float16", "complex64": "float32", "complex128": "float64"}


def _float(name: str) -> DtypeInfo:
    """From the format's definition (IEEE 754; OCP 8-bit and microscaling formats for the small ones)."""
    exponent, mantissa, bias, special = _FLOATS[name]
    top = 2**exponent - 1 - (special == "ieee") - bias
    fraction = 2 - 2.0**-mantissa
    if special == "one nan":  # all ones is the only code that is not a number
        fraction -= 2.0**-mantissa
    largest = fraction * 2.0**top
    normal = 2.0 ** (1 - bias)
    packed = 2 if name.endswith("_x2") else 1
    return DtypeInfo(
        name, "float", 1 + exponent + mantissa, exponent, mantissa, largest, -largest, normal,
        normal * 2.0**-mantissa, 2.0**-mantissa, packed,
    )  # fmt: skip


def _scale() -> DtypeInfo:
    """E8M0: a power of two, no sign, no mantissa, no zero, no subnormals (OCP microscaling formats 1.0)."""
    return DtypeInfo("float8_e8m0fnu", "float", 8, 8, 0, 2.0**127, 2.0**-127, 2.0**-127, None, 1.0)


def _integer(name: str) -> DtypeInfo:
    kind: Kind = "uint" if name.startswith(("uint", "quint", "bits")) else "int"
    stem = name.removeprefix("q") if name.startswith(("qint", "quint")) else name
    first = stem.partition("x")[0]
    bits = int("".join(c for c in first if c.isdigit()))
    packed = 8 // bits if "x" in stem else 1
    top = 2**bits - 1 if kind == "uint" else 2 ** (bits - 1) - 1
    bottom = 0 if kind == "uint" else -(2 ** (bits - 1))
    if name.startswith("q"):
        kind = "quantized"
    return DtypeInfo(name, kind, bits, 0, 0, top, bottom, None, None, None, packed)


def _complex(name: str) -> DtypeInfo:
    part = _float(_PARTS[name])
    return DtypeInfo(
        name, "complex", 2 * part.bits, part.exponent, part.mantissa, part.max, part.min,
        part.smallest_normal, part.smallest_subnormal, part.epsilon,
    )  # fmt: skip


def info(dtype: torch.dtype) -> DtypeInfo:
    """What a dtype can represent.

    1e-8 is below the smallest subnormal of float16 and a normal number of bfloat16:

    >>> info(torch.float16).smallest_subnormal > 1e-8 > info(torch.bfloat16).smallest_normal
    True
    >>> info(torch.float8_e4m3fn).max, info(torch.float8_e5m2).max
    (448.0, 57344.0)
    """
    name = str(dtype).removeprefix("torch.")
    if name in _FLOATS:
        return _float(name)
    if name in _PARTS:
        return _complex(name)
    if name == "float8_e8m0fnu":
        return _scale()
    if name == "bool":
        return DtypeInfo(name, "bool", 8, 0, 0, 1, 0, None, None, None)
    return _integer(name)


def table() -> tuple[DtypeInfo, ...]:
    """Every dtype this torch has, floats first.

    >>> len({row.name for row in table()}) >= 20
    True
    """
    known = {v for v in vars(torch).values() if isinstance(v, torch.dtype)}
    order = ("float", "complex", "int", "uint", "bool", "quantized")
    rows = [info(dtype) for dtype in known]
    return tuple(sorted(rows, key=lambda r: (order.index(r.kind), -r.bits, r.name)))
