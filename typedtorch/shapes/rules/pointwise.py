"""Operators that work element by element: shapes broadcast, dtypes promote."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.dtypes import (
    ANY,
    BOOL,
    COMPLEX,
    FLOATING,
    INT64,
    INTEGRAL,
    NOT_BOOL,
    NOT_COMPLEX,
    to_float,
)
from typedtorch.shapes.rule import Record, name, rule, spelled
from typedtorch.shapes.rules.forms import (
    Function,
    both,
    is_size,
    methods,
    need,
    pointwise,
    under,
)
from typedtorch.shapes.rules.layout import leads
from typedtorch.shapes.rules.promotion import can_cast, mask_of, result_type, to_real, want
from typedtorch.shapes.tensor import Scalar, ShapeError, Tensor, Undecided, same_shape, show


def _same(mask: int) -> int:
    return mask


def _bool(_: int) -> int:
    return BOOL


def inplace_rule(base: Function, operator: str) -> Function:
    """The in-place form: the result must fit the tensor it is written to, in shape and dtype."""

    def inplace(self: Any, *args: Any, **kwargs: Any) -> Any:
        target = need(self)
        rest, named = spelled(base, args, kwargs)
        result = base(self, *rest, **named)
        if not isinstance(result, Tensor):
            raise Undecided
        check_stored(target, result, operator)
        return target

    return inplace


def check_stored(target: Tensor, result: Tensor, operator: str) -> None:
    """Whether an in-place result fits its target.

    Raises:
        ShapeError: it has another shape, or a dtype that cannot be cast to the target's.
    """
    who = name(target, "self")
    if same_shape(target.shape, result.shape) is False:
        raise ShapeError(
            f"{operator} writes {show(result.shape)} into {who} of shape {show(target.shape)}",
            hint=f"use {operator.rstrip('_')}, which returns a new tensor"
            if operator.endswith("_")
            else None,
        )
    if not can_cast(result.dtype, mask_of(target)):
        raise ShapeError(
            f"{operator} gives {dtypes.show(result.dtype)}, which cannot be stored in {who}, "
            f"which is {dtypes.show(mask_of(target))}",
            "dtype",
        )


def inplace(*operators: str, of: dict[str, Function], sample: str) -> None:
    """Enter the in-place method of each operator."""
    for operator in operators:
        rule(f"torch.Tensor.{operator}_", sample=sample)(inplace_rule(of[operator], f"{operator}_"))


# --- one operand -------------------------------------------------------------------------------

# operator names -> (dtype of the result, dtypes accepted, what to say is wanted)
_UNARY: tuple[tuple[str, Any, int, str], ...] = (
    (
        "sqrt rsqrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh "
        "acosh atanh arcsin arccos arctan arcsinh arccosh arctanh sigmoid reciprocal sinc",
        to_float, ANY, "",
    ),
    ("erf erfc erfinv lgamma digamma i0 deg2rad rad2deg", to_float, NOT_COMPLEX, "a real dtype"),
    ("neg negative", _same, NOT_BOOL, "numbers: ~x inverts a mask"),
    ("ceil floor trunc fix", _same, NOT_COMPLEX, "a real dtype"),
    ("frac", _same, FLOATING, "a floating dtype"),
    ("sign", _same, NOT_COMPLEX, "a real dtype: sgn takes complex"),
    ("sgn conj_physical", _same, ANY, ""),
    ("square", lambda mask: mask & ~BOOL | (INT64 if mask & BOOL else 0), ANY, ""),
    ("logical_not", _bool, ANY, ""),
    ("bitwise_not", _same, INTEGRAL, "integers or bool"),
)  # fmt: skip
_UNARY_PLAIN: tuple[tuple[str, Any, int, str], ...] = (
    ("abs absolute", to_real, NOT_BOOL, "numbers"),
    ("positive", _same, NOT_BOOL, "numbers"),
    ("conj resolve_conj resolve_neg", _same, ANY, ""),
    ("isnan isinf isfinite isreal", _bool, ANY, ""),
    ("isposinf isneginf signbit", _bool, NOT_COMPLEX, "a real dtype"),
    ("relu", _same, NOT_COMPLEX & ~BOOL, "real numbers"),
    ("selu", _same, FLOATING, "a floating dtype"),
)


def unary(result: Any, allowed: int, wanted: str) -> Function:
    """The rule of an operator on one operand; ``result`` makes its dtypes of the operand's."""

    def operator(input: Any, *, out: Any = None) -> Tensor:
        mask = want(need(input), allowed, "input", wanted)
        return pointwise((input, "input"), dtype=result(mask))

    return operator


def _enter_unary() -> dict[str, Function]:
    made: dict[str, Function] = {}
    for rows, writes in ((_UNARY, True), (_UNARY_PLAIN, False)):
        for words, result, allowed, wanted in rows:
            for operator in words.split():
                made[operator] = function = unary(result, allowed, wanted)
                rule(*(both(operator) if operator != "selu" else ("torch.selu",)), sample="n:*")(function)
            if writes:
                inplace(*words.split(), of=made, sample="n:*")
    made["abs_"] = unary(_same, NOT_COMPLEX & ~BOOL, "real numbers")
    inplace("relu", of=made, sample="n:*")
    inplace("abs", "absolute", of={"abs": made["abs_"], "absolute": made["abs_"]}, sample="n:*")
    return made


RULE_OF = _enter_unary()


@rule("torch.Tensor.float_power_", sample="D:*, num | D:*, n:#*")
def float_power_(self: Any, exponent: Any) -> Any:
    wide = dtypes.FLOAT64 | dtypes.BIT["complex128"]
    want(need(self), wide, "self", "float64 or complex128, in which float_power computes")
    return inplace_rule(RULE_OF["float_power"], "float_power_")(self, exponent)


rule(*methods("__neg__", "__invert__", "__pos__", "__abs__")[:1], sample="n:*")(RULE_OF["neg"])
rule("torch.Tensor.__invert__", sample="n:*")(RULE_OF["bitwise_not"])
rule("torch.Tensor.__pos__", sample="n:*")(RULE_OF["positive"])
rule("torch.Tensor.__abs__", sample="n:*")(RULE_OF["abs"])

_SPECIAL_FLOAT = unary(to_float, NOT_COMPLEX, "a real dtype")
rule(
    *under(
        "torch.special",
        "airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 digamma entr erf erfc erfcx erfinv gammaln i0 "
        "i0e i1 i1e log_ndtr modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 "
        "ndtr ndtri psi scaled_modified_bessel_k0 scaled_modified_bessel_k1 spherical_bessel_j0",
    ),
    sample="n:*",
)(_SPECIAL_FLOAT)
rule(*under("torch.special", "exp2 expm1 log1p expit sinc"), sample="n:*")(unary(to_float, ANY, ""))


@rule(*both("round"), "torch.special.round", sample="n:* | f:*, decimals=1")
def round(input: Any, *, decimals: Any = 0, out: Any = None) -> Tensor:
    return pointwise((input, "input"), dtype=want(need(input), NOT_COMPLEX, "input", "a real dtype"))


@rule(*both("nan_to_num"), sample="n:* | n:*, 0.0")
def nan_to_num(
    input: Any, nan: Any = None, posinf: Any = None, neginf: Any = None, *, out: Any = None
) -> Tensor:
    return pointwise((input, "input"), dtype=mask_of(need(input)))


@rule(*both("logit"), "torch.special.logit", sample="r:* | f:*, 0.1")
def logit(input: Any, eps: Any = None, *, out: Any = None) -> Tensor:
    return pointwise(
        (input, "input"), dtype=to_float(want(need(input), NOT_COMPLEX, "input", "a real dtype"))
    )


@rule(*both("mvlgamma"), "torch.special.multigammaln", sample="r:*, 1")
def mvlgamma(input: Any, p: Any, *, out: Any = None) -> Tensor:
    mask = want(need(input), NOT_COMPLEX & ~BOOL, "input", "real numbers")
    return replace(pointwise((input, "input"), dtype=to_float(mask)), layout=None)


@rule(*both("angle"), sample="n:*")
def angle(input: Any, *, out: Any = None) -> Tensor:
    mask = to_float(to_real(mask_of(need(input))))
    return replace(pointwise((input, "input"), dtype=mask), layout=None)


@rule("torch.polygamma", "torch.special.polygamma", sample="1, r:*")
def polygamma(n: Any, input: Any) -> Tensor:
    return pointwise(
        (input, "input"), dtype=to_float(want(need(input), NOT_COMPLEX, "input", "a real dtype"))
    )


@rule("torch.Tensor.polygamma", sample="r:*, 1")
def polygamma_method(self: Any, n: Any) -> Tensor:
    return polygamma(n, self)


@rule(*both("frexp"), sample="f:*")
def frexp(input: Any) -> Record:
    mask = want(need(input), FLOATING, "input", "a floating dtype")
    mantissa = pointwise((input, "input"), dtype=mask)
    return Record(mantissa=mantissa, exponent=mantissa.of(mantissa.shape, dtypes.BIT["int32"]))


inplace(
    "round",
    "nan_to_num",
    "logit",
    of={"round": round, "nan_to_num": nan_to_num, "logit": logit},
    sample="f:*",
)

# --- two operands ------------------------------------------------------------------------------


def _double(mask: int) -> int:
    """float64, complex128 for complex operands."""
    wide = dtypes.BIT["complex128"] if mask & COMPLEX else 0
    return wide | (dtypes.FLOAT64 if mask & ~COMPLEX else 0)


_BINARY: tuple[tuple[str, Any, int, str], ...] = (
    ("mul multiply", _same, ANY, ""),
    ("true_divide", to_float, ANY, ""),
    ("floor_divide remainder", _same, NOT_COMPLEX & ~BOOL, "real numbers"),
    ("fmod", _same, NOT_COMPLEX & ~BOOL, "real numbers"),
    ("pow", lambda mask: mask | (INT64 if mask == BOOL else 0), ANY, ""),
    ("float_power", _double, ANY, ""),
    ("atan2 arctan2 copysign xlogy", to_float, NOT_COMPLEX, "real numbers"),
    ("heaviside", _same, NOT_COMPLEX, "real numbers"),
    ("hypot nextafter", _same, FLOATING, "a floating dtype"),
    ("igamma igammac", _same, FLOATING, "a floating dtype"),
    ("gcd lcm", _same, dtypes.INTEGER, "integers"),
    ("eq ne not_equal", _bool, ANY, ""),
    ("lt le gt ge less less_equal greater greater_equal", _bool, NOT_COMPLEX, "real numbers"),
    ("logical_and logical_or logical_xor", _bool, ANY, ""),
    ("bitwise_and bitwise_or bitwise_xor", _same, INTEGRAL, "integers or bool"),
    ("bitwise_left_shift bitwise_right_shift", _same, dtypes.INTEGER, "integers"),
)  # fmt: skip
_BINARY_PLAIN: tuple[tuple[str, Any, int, str], ...] = (
    ("maximum minimum fmax fmin", _same, NOT_COMPLEX, "real numbers"),
    ("logaddexp", _same, FLOATING | COMPLEX, "a floating dtype"),
    ("logaddexp2", _same, FLOATING, "a floating dtype"),
)
_TENSORS_ONLY = frozenset({
    "maximum", "minimum", "fmax", "fmin", "logaddexp", "logaddexp2", "atan2", "arctan2", "heaviside", "hypot",
    "nextafter", "igamma", "igammac", "gcd", "lcm", "logical_and", "logical_or", "logical_xor",
})  # fmt: skip


def checked_dtype(allowed: int, wanted: str, *operands: tuple[Any, str]) -> int:
    """The operands' common dtype, if the operator takes it.

    Raises:
        ShapeError: it does not.
    """
    mask = result_type(*(o for o, _ in operands))
    if mask & allowed:
        return mask & allowed
    culprit = next(
        (o for o in operands if isinstance(o[0], Tensor) and not mask_of(o[0]) & allowed), operands[0]
    )
    raise ShapeError(f"{name(*culprit)} is {dtypes.show(mask)}, wanted {wanted}", "dtype")


def _binary(result: Any, allowed: int, wanted: str) -> Function:
    def binary(input: Any, other: Any, *, out: Any = None) -> Tensor:
        mask = checked_dtype(allowed, wanted, (input, "input"), (other, "other"))
        made = pointwise((input, "input"), (other, "other"), dtype=result(mask))
        if result is _bool and isinstance(input, Tensor) and leads(input, made):
            return replace(made, layout=input.layout)
        return made if isinstance(input, Tensor) else replace(made, layout=None)  # 1 ** x is filled anew

    return binary


_PAIR = "n:#*, n:#*"
PAIR_OR_NUMBER = "n:#*, n:#* | n:*, num"
_INTO = "n:*, n:#* | n:*, num"


def _enter_binary() -> dict[str, Function]:
    made: dict[str, Function] = {}
    for rows, writes in ((_BINARY, True), (_BINARY_PLAIN, False)):
        for words, result, allowed, wanted in rows:
            for operator in words.split():
                made[operator] = function = _binary(result, allowed, wanted)
                sample = _PAIR if operator in _TENSORS_ONLY else PAIR_OR_NUMBER
                if wanted.startswith("integers"):
                    sample = sample.replace("n:", "i:").replace("num", "1")
                rule(*both(operator), sample=sample)(function)
                if writes and operator != "float_power":
                    into = "f:*, f:#* | n:*, n:#*" if operator in _TENSORS_ONLY else _INTO
                    inplace(
                        operator, of=made, sample=into if not wanted.startswith("integers") else "i:*, i:#*"
                    )
    return made


RULE_OF |= _enter_binary()
rule(*under("torch.special", "xlogy"), sample=PAIR_OR_NUMBER)(RULE_OF["xlogy"])
rule(*under("torch.special", "xlog1py"), sample=PAIR_OR_NUMBER)(RULE_OF["xlogy"])
rule(*under("torch.special", "zeta"), sample=PAIR_OR_NUMBER)(RULE_OF["xlogy"])
rule(*under("torch.special", "gammainc gammaincc"), sample="f:#*, f:#*")(RULE_OF["igamma"])
rule(
    *under(
        "torch.special",
        "chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w "
        "hermite_polynomial_h hermite_polynomial_he laguerre_polynomial_l legendre_polynomial_p "
        "shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v "
        "shifted_chebyshev_polynomial_w",
    ),
    sample="f:#*, f:#*",
)(RULE_OF["xlogy"])


@rule(*both("ldexp"), sample="n:#*, n:#*")
def ldexp(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """``input * 2**other``."""
    power = need(other).of(need(other).shape, result_type(2.0, other))
    # the last releases keep a narrow input's dtype where older ones promote
    mask = result_type(input, power) | (mask_of(need(input)) & FLOATING)
    return pointwise((input, "input"), (other, "other"), dtype=mask)


@rule(*both("add"), sample=PAIR_OR_NUMBER + " | n:*, n:*, alpha=2")
def add(input: Any, other: Any, *, alpha: Any = 1, out: Any = None) -> Tensor:
    mask = result_type(input, other)
    if isinstance(alpha, float) and not mask & ~INTEGRAL:
        raise ShapeError(f"alpha={alpha} is a float and the operands are integers", "dtype")
    return pointwise((input, "input"), (other, "other"), dtype=mask)


@rule(*both("sub", "subtract"), sample=PAIR_OR_NUMBER + " | n:*, n:*, alpha=2")
def sub(input: Any, other: Any, *, alpha: Any = 1, out: Any = None) -> Tensor:
    for operand, parameter in ((input, "input"), (other, "other")):
        if isinstance(operand, bool) or (isinstance(operand, Tensor) and mask_of(operand) == BOOL):
            rest = other if operand is input else input
            if isinstance(rest, bool) or (isinstance(rest, Tensor) and mask_of(rest) == BOOL):
                raise ShapeError(
                    f"{name(operand, parameter)} is bool: - is not defined for two masks",
                    "dtype",
                    "use ^ or ~",
                )
            if isinstance(rest, (Tensor, Scalar, float)) or is_size(rest):
                raise ShapeError(
                    f"{name(operand, parameter)} is bool: - is not defined for a mask",
                    "dtype",
                    "use ~ or cast it",
                )
    return add(input, other, alpha=alpha)


@rule("torch.rsub", sample="n:#*, n:#* | n:*, num")
def rsub(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    return sub(input, other, alpha=alpha)


@rule(*both("div", "divide"), sample=PAIR_OR_NUMBER + " | n:*, n:*, rounding_mode='floor'")
def div(input: Any, other: Any, *, rounding_mode: Any = None, out: Any = None) -> Tensor:
    mask = result_type(input, other)
    if rounding_mode is not None:
        mask = checked_dtype(NOT_COMPLEX, "real numbers", (input, "input"), (other, "other"))
        return pointwise((input, "input"), (other, "other"), dtype=mask)
    return pointwise((input, "input"), (other, "other"), dtype=to_float(mask))


RULE_OF |= {"add": add, "sub": sub, "subtract": sub, "div": div, "divide": div, "ldexp": ldexp}
inplace("add", "sub", "subtract", "div", "divide", of=RULE_OF, sample=_INTO)
inplace("ldexp", of=RULE_OF, sample="n:*, n:#*")


@rule(*both("isclose"), sample="f:#*, f:#*")
def isclose(input: Any, other: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> Tensor:
    a, b = mask_of(need(input)), mask_of(need(other))
    if not a & b:
        raise ShapeError(
            f"{name(input, 'input')} is {dtypes.show(a)} and {name(other, 'other')} is {dtypes.show(b)}",
            "dtype",
        )
    return pointwise((input, "input"), (other, "other"), dtype=BOOL)
