"""Dtypes as sets: what is known of a tensor's dtype is the set of dtypes it may have.

A set is an ``int`` with one bit per dtype, so joins are ``|``, conflicts are ``not a & b`` and
"nothing is known" is :data:`ANY`.

>>> show(promote(INT64, FLOAT32)), show(FLOAT), show(of_wrapper("Integer") & UINT8)
('float32', 'float', 'uint8')
"""

from __future__ import annotations

from functools import lru_cache

NAMES = (
    "bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64",
    "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu",
    "float4_e2m1fn_x2", "float16", "bfloat16", "float32", "float64",
    "complex32", "complex64", "complex128", "other",
)  # fmt: skip
BIT = {name: 1 << i for i, name in enumerate(NAMES)}
ANY = (1 << len(NAMES)) - 1


def union(*names: str) -> int:
    """The set of the dtypes that have these names."""
    mask = 0
    for name in names:
        mask |= BIT[name]
    return mask


BOOL, UINT8, INT64 = BIT["bool"], BIT["uint8"], BIT["int64"]
FLOAT16, BFLOAT16, FLOAT32, FLOAT64 = (
    BIT["float16"], BIT["bfloat16"], BIT["float32"], BIT["float64"],
)  # fmt: skip
COMPLEX64 = BIT["complex64"]
UINT = union("uint8", "uint16", "uint32", "uint64")
INT = union("int8", "int16", "int32", "int64")
FLOAT8 = union("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz")
SUBBYTE = union("float8_e8m0fnu", "float4_e2m1fn_x2")
FLOAT = union("float16", "bfloat16", "float32", "float64") | FLOAT8
FLOATING = FLOAT | SUBBYTE  # torch's is_floating_point; jaxtyping's Float has no e8m0
COMPLEX = union("complex32", "complex64", "complex128")
INTEGER = UINT | INT
INTEGRAL = INTEGER | BOOL
NOT_COMPLEX, NOT_BOOL = ANY & ~COMPLEX, ANY & ~BOOL

# torch attribute -> set
TORCH = {
    **{name: bit for name, bit in BIT.items() if name != "other"},
    "float": FLOAT32, "double": FLOAT64, "half": FLOAT16, "long": INT64, "int": BIT["int32"],
    "short": BIT["int16"], "cfloat": COMPLEX64, "cdouble": BIT["complex128"],
    "chalf": BIT["complex32"],
}  # fmt: skip

# jaxtyping wrapper -> set of dtypes it accepts; dtypes torch does not have are "other"
_WRAPPERS = {
    "Shaped": ANY,
    "Num": UINT | INT | FLOAT | COMPLEX,
    "Real": UINT | INT | FLOAT,
    "Inexact": FLOAT | COMPLEX,
    "Float": FLOAT,
    "Complex": COMPLEX & ~BIT["complex32"],
    "Integer": INTEGER,
    "UInt": UINT,
    "Int": INT,
    "Bool": BOOL,
    "Key": BIT["other"],
    "BFloat16": BFLOAT16, "Float16": FLOAT16, "Float32": FLOAT32, "Float64": FLOAT64,
    "Complex64": COMPLEX64, "Complex128": BIT["complex128"],
    "UInt8": UINT8, "UInt16": BIT["uint16"], "UInt32": BIT["uint32"], "UInt64": BIT["uint64"],
    "Int8": BIT["int8"], "Int16": BIT["int16"], "Int32": BIT["int32"], "Int64": INT64,
    "Float8e4m3fn": BIT["float8_e4m3fn"], "Float8e5m2": BIT["float8_e5m2"],
    "Float8e4m3fnuz": BIT["float8_e4m3fnuz"], "Float8e5m2fnuz": BIT["float8_e5m2fnuz"],
    "Float8e4m3b11fnuz": BIT["other"], "Float4e2m1fn": BIT["other"],
    "Int2": BIT["other"], "Int4": BIT["other"], "UInt2": BIT["other"], "UInt4": BIT["other"],
}  # fmt: skip
WRAPPERS = tuple(_WRAPPERS)


def of_wrapper(name: str) -> int:
    """The dtypes a jaxtyping wrapper accepts.

    Raises:
        KeyError: not a wrapper of jaxtyping.
    """
    return _WRAPPERS[name]


def show(mask: int) -> str:
    """A short name for a set, in words a user would use."""
    if mask == ANY:
        return "any dtype"
    if mask.bit_count() == 1:
        return NAMES[mask.bit_length() - 1]
    for family, name in _FAMILIES:
        if mask & ~BIT["other"] == family & ~BIT["other"]:
            return name
    for family, name in _FAMILIES:
        if not mask & ~family:
            return name
    if 2 * mask.bit_count() > ANY.bit_count():
        return f"any dtype but {show(ANY & ~mask)}"
    return " or ".join(name for name, bit in BIT.items() if mask & bit)


_FAMILIES = (
    (UINT, "unsigned int"), (INT, "int"), (FLOAT, "float"), (FLOATING, "float"),
    (COMPLEX, "complex"), (INTEGER, "integer"), (INTEGRAL, "integer or bool"),
    (FLOATING | COMPLEX, "float or complex"),
)  # fmt: skip


def members(mask: int) -> list[int]:
    """The single dtypes of a set."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low)
        mask ^= low
    return found


@lru_cache(maxsize=4096)
def promote(a: int, b: int) -> int:
    """torch's type promotion of two tensors of the same category, on sets.

    Zero where torch refuses every combination (fp8 with anything else, uint16 with int64, ...).
    """
    if a == b and a.bit_count() == 1:
        return a
    if BIT["other"] & (a | b):
        return ANY
    result = 0
    for x in members(a):
        for y in members(b):
            result |= _promote_one(x, y)
    return result


_ORDER = {BIT[n]: i for i, n in enumerate(NAMES)}
_WIDTH = {"8": 8, "16": 16, "32": 32, "64": 64}


def _promote_one(a: int, b: int) -> int:
    if a == b:
        return a
    if _ORDER[a] > _ORDER[b]:
        a, b = b, a
    if (a | b) & (FLOAT8 | SUBBYTE):
        return 0
    if b & COMPLEX:
        return _promote_complex(a, b)
    if b & FLOATING:
        return b if a & INTEGRAL else _promote_floats(a, b)
    if a & BOOL:
        return b
    if a & UINT8 and b & INT:
        return BIT["int16"] if b == BIT["int8"] else b
    if a & UINT:
        return 0  # torch defines no promotion of uint16/32/64 with other integers
    return b  # two signed ints: the later is the wider


def _promote_floats(a: int, b: int) -> int:
    return FLOAT32 if a == FLOAT16 and b == BFLOAT16 else b


def _promote_complex(a: int, b: int) -> int:
    if a & INTEGRAL or a & COMPLEX:
        return b
    if a == FLOAT64:
        return BIT["complex128"]
    if a == FLOAT16:
        return b
    return COMPLEX64 if b == BIT["complex32"] else b


def to_float(mask: int, default: int = FLOAT32) -> int:
    """What sqrt, exp, mean of a true division give: floats stay, integers become the default."""
    kept = mask & ~INTEGRAL
    return kept | default if mask & INTEGRAL else kept
