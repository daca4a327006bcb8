"""Operators that work element by element: shapes broadcast, dtypes promote."""

from __future__ import annotations

from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.dtypes import ANY, BOOL, COMPLEX, FLOAT32, FLOATING, INT64, INTEGRAL, to_float
from typedtorch.shapes.rule import Record, name, rule
from typedtorch.shapes.rules.forms import (
    Function,
    both,
    functional,
    methods,
    need,
    pointwise,
    under,
)
from typedtorch.shapes.rules.promotion import can_cast, mask_of, result_type, to_real, want
from typedtorch.shapes.tensor import ShapeError, Tensor, Undecided, same_shape, show

_NOT_COMPLEX = ANY & ~COMPLEX
_NOT_BOOL = ANY & ~BOOL


def _same(mask: int) -> int:
    return mask


def _bool(_: int) -> int:
    return BOOL


def _inplace_rule(base: Function, operator: str) -> Function:
    """The in-place form: the result must fit the tensor it is written to, in shape and dtype."""

    def inplace(self: Any, *args: Any, **kwargs: Any) -> Any:
        target = need(self)
        result = base(self, *args, **kwargs)
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
        rule(f"torch.Tensor.{operator}_", sample=sample)(_inplace_rule(of[operator], f"{operator}_"))


# --- one operand -------------------------------------------------------------------------------

# operator names -> (dtype of the result, dtypes accepted, what to say is wanted)
_UNARY: tuple[tuple[str, Any, int, str], ...] = (
    (
        "sqrt rsqrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh "
        "acosh atanh arcsin arccos arctan arcsinh arccosh arctanh sigmoid reciprocal sinc",
        to_float, ANY, "",
    ),
    ("erf erfc erfinv lgamma digamma i0 deg2rad rad2deg", to_float, _NOT_COMPLEX, "a real dtype"),
    ("neg negative", _same, _NOT_BOOL, "numbers: ~x inverts a mask"),
    ("ceil floor trunc fix", _same, _NOT_COMPLEX, "a real dtype"),
    ("frac", _same, FLOATING, "a floating dtype"),
    ("sign", _same, _NOT_COMPLEX, "a real dtype: sgn takes complex"),
    ("sgn conj_physical", _same, ANY, ""),
    ("square", lambda mask: mask & ~BOOL | (INT64 if mask & BOOL else 0), ANY, ""),
    ("logical_not", _bool, ANY, ""),
    ("bitwise_not", _same, INTEGRAL, "integers or bool"),
)  # fmt: skip
_UNARY_PLAIN: tuple[tuple[str, Any, int, str], ...] = (
    ("abs absolute", to_real, _NOT_BOOL, "numbers"),
    ("positive", _same, _NOT_BOOL, "numbers"),
    ("conj resolve_conj resolve_neg", _same, ANY, ""),
    ("angle", lambda mask: to_float(to_real(mask)), ANY, ""),
    ("isnan isinf isfinite isreal", _bool, ANY, ""),
    ("isposinf isneginf signbit", _bool, _NOT_COMPLEX, "a real dtype"),
    ("relu", _same, _NOT_COMPLEX & ~BOOL, "real numbers"),
    ("selu", _same, FLOATING, "a floating dtype"),
)
_FLOAT_ONLY = ("", _same, FLOATING, "a floating dtype")


def _unary(result: Any, allowed: int, wanted: str) -> Function:
    def unary(input: Any, *, out: Any = None) -> Tensor:
        mask = want(need(input), allowed, "input", wanted)
        return pointwise((input, "input"), dtype=result(mask))

    return unary


def _enter_unary() -> dict[str, Function]:
    made: dict[str, Function] = {}
    for rows, writes in ((_UNARY, True), (_UNARY_PLAIN, False)):
        for words, result, allowed, wanted in rows:
            for operator in words.split():
                made[operator] = function = _unary(result, allowed, wanted)
                rule(*(both(operator) if operator != "selu" else ("torch.selu",)), sample="n:*")(function)
            if writes:
                inplace(*words.split(), of=made, sample="n:*")
    made["abs_"] = _unary(_same, _NOT_COMPLEX & ~BOOL, "real numbers")
    inplace("relu", of=made, sample="n:*")
    inplace("abs", "absolute", of={"abs": made["abs_"], "absolute": made["abs_"]}, sample="n:*")
    return made


RULE_OF = _enter_unary()


@rule("torch.Tensor.float_power_", sample="D:*, num | D:*, n:#*")
def float_power_(self: Any, exponent: Any) -> Any:
    wide = dtypes.FLOAT64 | dtypes.BIT["complex128"]
    want(need(self), wide, "self", "float64 or complex128, in which float_power computes")
    return _inplace_rule(RULE_OF["float_power"], "float_power_")(self, exponent)


rule(*methods("__neg__", "__invert__", "__pos__", "__abs__")[:1], sample="n:*")(RULE_OF["neg"])
rule("torch.Tensor.__invert__", sample="n:*")(RULE_OF["bitwise_not"])
rule("torch.Tensor.__pos__", sample="n:*")(RULE_OF["positive"])
rule("torch.Tensor.__abs__", sample="n:*")(RULE_OF["abs"])

_SPECIAL_FLOAT = _unary(to_float, _NOT_COMPLEX, "a real dtype")
rule(
    *under(
        "torch.special",
        "airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 digamma entr erf erfc erfcx erfinv gammaln i0 "
        "i0e i1 i1e log_ndtr modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 "
        "ndtr ndtri psi scaled_modified_bessel_k0 scaled_modified_bessel_k1 spherical_bessel_j0",
    ),
    sample="n:*",
)(_SPECIAL_FLOAT)
rule(*under("torch.special", "exp2 expm1 log1p expit sinc"), sample="n:*")(_unary(to_float, ANY, ""))


@rule(*both("round"), "torch.special.round", sample="n:* | f:*, decimals=1")
def round(input: Any, *, decimals: Any = 0, out: Any = None) -> Tensor:
    return pointwise((input, "input"), dtype=want(need(input), _NOT_COMPLEX, "input", "a real dtype"))


@rule(*both("nan_to_num"), sample="n:* | n:*, 0.0")
def nan_to_num(
    input: Any, nan: Any = None, posinf: Any = None, neginf: Any = None, *, out: Any = None
) -> Tensor:
    return pointwise((input, "input"), dtype=mask_of(need(input)))


@rule(*both("logit"), "torch.special.logit", sample="r:* | f:*, 0.1")
def logit(input: Any, eps: Any = None, *, out: Any = None) -> Tensor:
    return pointwise(
        (input, "input"), dtype=to_float(want(need(input), _NOT_COMPLEX, "input", "a real dtype"))
    )


@rule(*both("mvlgamma"), "torch.special.multigammaln", sample="r:*, 1")
def mvlgamma(input: Any, p: Any) -> Tensor:
    mask = want(need(input), _NOT_COMPLEX & ~BOOL, "input", "real numbers")
    return pointwise((input, "input"), dtype=to_float(mask))


@rule("torch.polygamma", "torch.special.polygamma", sample="1, r:*")
def polygamma(n: Any, input: Any) -> Tensor:
    return pointwise(
        (input, "input"), dtype=to_float(want(need(input), _NOT_COMPLEX, "input", "a real dtype"))
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

_BINARY: tuple[tuple[str, Any, int, str], ...] = (
    ("mul multiply", _same, ANY, ""),
    ("true_divide", to_float, ANY, ""),
    ("floor_divide remainder", _same, _NOT_COMPLEX & ~BOOL, "real numbers"),
    ("fmod", _same, _NOT_COMPLEX & ~BOOL, "real numbers"),
    ("pow", lambda mask: mask | (INT64 if mask == BOOL else 0), ANY, ""),
    ("float_power", lambda m: m & COMPLEX and dtypes.BIT["complex128"] | (dtypes.FLOAT64 if m & ~COMPLEX else 0) or dtypes.FLOAT64, ANY, ""),
    ("atan2 arctan2 copysign xlogy", to_float, _NOT_COMPLEX, "real numbers"),
    ("heaviside", _same, _NOT_COMPLEX, "real numbers"),
    ("hypot nextafter", _same, FLOATING, "a floating dtype"),
    ("igamma igammac", _same, FLOATING, "a floating dtype"),
    ("gcd lcm", _same, dtypes.INTEGER, "integers"),
    ("eq ne not_equal", _bool, ANY, ""),
    ("lt le gt ge less less_equal greater greater_equal", _bool, _NOT_COMPLEX, "real numbers"),
    ("logical_and logical_or logical_xor", _bool, ANY, ""),
    ("bitwise_and bitwise_or bitwise_xor", _same, INTEGRAL, "integers or bool"),
    ("bitwise_left_shift bitwise_right_shift", _same, dtypes.INTEGER, "integers"),
)  # fmt: skip
_BINARY_PLAIN: tuple[tuple[str, Any, int, str], ...] = (
    ("maximum minimum fmax fmin", _same, _NOT_COMPLEX, "real numbers"),
    ("logaddexp", _same, FLOATING | COMPLEX, "a floating dtype"),
    ("logaddexp2", _same, FLOATING, "a floating dtype"),
)
_TENSORS_ONLY = frozenset("maximum minimum fmax fmin logaddexp logaddexp2 atan2 arctan2 heaviside hypot "
                          "nextafter igamma igammac gcd lcm logical_and logical_or logical_xor".split())  # fmt: skip


def _checked(allowed: int, wanted: str, *operands: tuple[Any, str]) -> int:
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
        mask = _checked(allowed, wanted, (input, "input"), (other, "other"))
        return pointwise((input, "input"), (other, "other"), dtype=result(mask))

    return binary


_PAIR = "n:#*, n:#*"
_PAIR_OR_NUMBER = "n:#*, n:#* | n:*, num"
_INTO = "n:*, n:#* | n:*, num"


def _enter_binary() -> dict[str, Function]:
    made: dict[str, Function] = {}
    for rows, writes in ((_BINARY, True), (_BINARY_PLAIN, False)):
        for words, result, allowed, wanted in rows:
            for operator in words.split():
                made[operator] = function = _binary(result, allowed, wanted)
                sample = _PAIR if operator in _TENSORS_ONLY else _PAIR_OR_NUMBER
                if wanted.startswith("integers"):
                    sample = sample.replace("n:", "i:").replace("num", "1")
                rule(*both(operator), sample=sample)(function)
                if writes and operator != "float_power":
                    into = "n:*, n:#*" if operator in _TENSORS_ONLY else _INTO
                    inplace(
                        operator, of=made, sample=into if not wanted.startswith("integers") else "i:*, i:#*"
                    )
    return made


RULE_OF |= _enter_binary()
rule(*under("torch.special", "xlogy"), sample=_PAIR_OR_NUMBER)(RULE_OF["xlogy"])
rule(*under("torch.special", "xlog1py"), sample=_PAIR_OR_NUMBER)(RULE_OF["xlogy"])
rule(*under("torch.special", "zeta"), sample=_PAIR_OR_NUMBER)(RULE_OF["xlogy"])
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


@rule(*both("add"), sample=_PAIR_OR_NUMBER + " | n:*, n:*, alpha=2")
def add(input: Any, other: Any, *, alpha: Any = 1, out: Any = None) -> Tensor:
    mask = result_type(input, other)
    if isinstance(alpha, float) and not mask & ~INTEGRAL:
        raise ShapeError(f"alpha={alpha} is a float and the operands are integers", "dtype")
    return pointwise((input, "input"), (other, "other"), dtype=mask)


@rule(*both("sub", "subtract"), sample=_PAIR_OR_NUMBER + " | n:*, n:*, alpha=2")
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
            if isinstance(rest, Tensor):
                raise ShapeError(
                    f"{name(operand, parameter)} is bool: - is not defined for a mask",
                    "dtype",
                    "use ~ or cast it",
                )
    return add(input, other, alpha=alpha)


@rule("torch.rsub", sample="n:#*, n:#* | n:*, num")
def rsub(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    return sub(input, other, alpha=alpha)


@rule(*both("div", "divide"), sample=_PAIR_OR_NUMBER + " | n:*, n:*, rounding_mode='floor'")
def div(input: Any, other: Any, *, rounding_mode: Any = None, out: Any = None) -> Tensor:
    mask = result_type(input, other)
    if rounding_mode is not None:
        mask = _checked(_NOT_COMPLEX, "real numbers", (input, "input"), (other, "other"))
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


# --- Python's operators ------------------------------------------------------------------------

_OPERATORS = {
    "add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "floordiv": "floor_divide",
    "mod": "remainder", "pow": "pow", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift",
}  # fmt: skip


def _enter_operators() -> None:
    integral = {"and", "or", "xor", "lshift", "rshift"}
    for operator, of in _OPERATORS.items():
        base = RULE_OF[of]
        n, number = ("i", "1") if operator in integral else ("n", "num")
        pair = f"{n}:#*, {n}:#* | {n}:*, {number}"
        rule(f"torch.Tensor.__{operator}__", sample=pair)(_operator(base))
        rule(f"torch.Tensor.__r{operator}__", sample=f"{n}:*, {number}")(_reflected(base))
        rule(f"torch.Tensor.__i{operator}__", sample=f"{n}:*, {n}:#* | {n}:*, {number}")(
            _inplace_rule(base, f"the in-place {of}")
        )
    for operator in ("eq", "ne", "lt", "le", "gt", "ge"):
        rule(f"torch.Tensor.__{operator}__", sample=_PAIR_OR_NUMBER)(_operator(RULE_OF[operator]))


def _operator(base: Function) -> Function:
    def operator(self: Any, other: Any) -> Tensor:
        result = base(self, other)
        assert isinstance(result, Tensor)
        return result

    return operator


def _reflected(base: Function) -> Function:
    def reflected(self: Any, other: Any) -> Tensor:
        result = base(other, self)
        assert isinstance(result, Tensor)
        return result

    return reflected


_enter_operators()


# --- three operands and more -------------------------------------------------------------------


@rule(*both("lerp"), sample="f:#*, f:#*, f:#* | f:#*, f:#*, 0.5")
def lerp(input: Any, end: Any, weight: Any, *, out: Any = None) -> Tensor:
    from typedtorch.shapes.rules.promotion import common_dtype

    operands = ((input, "input"), (end, "end"), (weight, "weight"))
    tensors = [(t, p) for t, p in operands if isinstance(t, Tensor) and (p != "weight" or t.shape)]
    mask = common_dtype(*tensors, what="lerp")
    return pointwise((input, "input"), (end, "end"), (weight, "weight"), dtype=mask)


@rule(*both("addcmul", "addcdiv"), sample="f:#*, f:#*, f:#* | f:#*, f:#*, f:#*, value=0.5")
def addcmul(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1, out: Any = None) -> Tensor:
    mask = result_type(input, tensor1, tensor2)
    return pointwise((input, "input"), (tensor1, "tensor1"), (tensor2, "tensor2"), dtype=mask)


inplace("lerp", of={"lerp": lerp}, sample="f:*, f:#*, 0.5")
inplace("addcmul", "addcdiv", of={"addcmul": addcmul, "addcdiv": addcmul}, sample="f:*, f:#*, f:#*")


@rule(
    *both("clamp", "clip"),
    sample="r:*, num, num | r:*, num | r:*, max=num | r:#*, r:#*, r:#* | f:*, min=f:#*",
)
def clamp(input: Any, min: Any = None, max: Any = None, *, out: Any = None) -> Tensor:
    bounds = [(b, p) for b, p in ((min, "min"), (max, "max")) if b is not None]
    if not bounds:
        raise ShapeError("clamp needs min or max")
    operands = [(input, "input"), *bounds]
    mask = _checked(_NOT_COMPLEX, "real numbers", *operands)
    return pointwise(*operands, dtype=mask)


@rule(*both("clamp_min"), sample="r:*, num | r:#*, r:#*")
def clamp_min(input: Any, min: Any, *, out: Any = None) -> Tensor:
    return clamp(input, min)


@rule(*both("clamp_max"), sample="r:*, num | r:#*, r:#*")
def clamp_max(input: Any, max: Any, *, out: Any = None) -> Tensor:
    return clamp(input, None, max)


inplace(
    "clamp", "clip", "clamp_min", "clamp_max",
    of={"clamp": clamp, "clip": clamp, "clamp_min": clamp_min, "clamp_max": clamp_max}, sample="r:*, num | r:*, r:#*",
)  # fmt: skip


@rule("torch.where", sample="b:#*, n:#*, n:#* | b:#*, n:#*, num | b:*, num, num")
def where(condition: Any, input: Any = None, other: Any = None, *, out: Any = None) -> Any:
    """Choose by a mask; with the mask alone, the indices of its true elements."""
    mask = need(condition)
    if input is None and other is None:
        from typedtorch.shapes.rules.sorting import nonzero

        return nonzero(condition, as_tuple=True)
    want(mask, BOOL | dtypes.UINT8, "condition", "a bool mask", "compare: x != 0")
    shape = pointwise((condition, "condition"), (input, "input"), (other, "other"), dtype=BOOL)
    return shape.of(shape.shape, result_type(input, other))


@rule("torch.Tensor.where", sample="n:#*, b:#*, n:#* | n:#*, b:#*, num")
def where_method(self: Any, condition: Any, other: Any) -> Any:
    return where(condition, self, other)


@rule(*both("dist"), sample="f:#*, f:#* | f:#*, f:#*, 2")
def dist(input: Any, other: Any, p: Any = 2) -> Tensor:
    result = pointwise((input, "input"), (other, "other"), dtype=result_type(input, other))
    return result.of((), to_real(result.dtype))


# --- activations -------------------------------------------------------------------------------


def _activation(allowed: int, wanted: str) -> Function:
    def activation(input: Any, *parameters: Any, inplace: Any = False, **settings: Any) -> Tensor:
        return pointwise((input, "input"), dtype=want(need(input), allowed, "input", wanted))

    return activation


rule(
    *functional(*"mish hardsigmoid hardswish elu celu selu logsigmoid gelu leaky_relu softplus "
                 "softshrink hardshrink rrelu".split()),
    "torch.celu", "torch.rrelu", "torch.celu_", "torch.selu_", "torch.rrelu_",
    *functional("elu_", "celu_", "selu_", "leaky_relu_", "rrelu_"), *both("hardshrink"), sample="f:*",
)(_activation(FLOATING, "a floating dtype"))  # fmt: skip
rule(*functional("relu", "relu_"), "torch.relu_", sample="n:*")(RULE_OF["relu"])
rule(*functional("silu"), sample="f:*")(_activation(FLOATING | COMPLEX, "a floating dtype"))
rule(*functional("relu6"), sample="f:*")(_activation(_NOT_COMPLEX & ~BOOL, "real numbers"))
rule(*functional("hardtanh", "hardtanh_"), sample="f:*")(
    _activation(_NOT_COMPLEX & ~BOOL & ~dtypes.UINT, "signed numbers")
)
rule(*functional("softsign", "tanhshrink"), sample="n:*")(_unary(to_float, ANY, ""))
rule(*functional("sigmoid"), sample="n:*")(RULE_OF["sigmoid"])
rule(*functional("tanh"), sample="n:*")(RULE_OF["tanh"])
rule(*functional("threshold", "threshold_"), "torch.threshold", "torch.threshold_", sample="f:*, 0.5, 1.0")(
    _activation(_NOT_COMPLEX & ~BOOL, "real numbers")
)


@rule(*functional("prelu"), *both("prelu"), sample="f:n c ..., f:c | f:n c ..., f:1")
def prelu(input: Any, weight: Any) -> Tensor:
    from typedtorch.shapes.rules.promotion import common_dtype

    mask = common_dtype((need(input), "input"), (need(weight), "weight"), what="prelu")
    shape, slope = input.shape, weight.shape
    from typedtorch.shapes.size import same
    from typedtorch.shapes.tensor import entry_size, pack_index

    if pack_index(slope) is None and len(slope) > 1:
        raise ShapeError(f"{name(weight, 'weight')} has shape {show(slope)}, wanted one axis or none")
    if pack_index(slope) is None and len(slope) == 1 and slope != (1,) and pack_index(shape[:2]) is None:
        channels = entry_size(shape[1]) if len(shape) > 1 else 1
        if same(channels, entry_size(slope[0])) is False:
            raise ShapeError(
                f"{name(weight, 'weight')} has {slope[0]} slopes and {name(input, 'input')} has {channels} channels"
            )
    return pointwise((input, "input"), dtype=mask & FLOATING or mask)


def _casts() -> None:
    for method, target in (
        ("float", FLOAT32), ("double", dtypes.FLOAT64), ("half", dtypes.FLOAT16), ("bfloat16", dtypes.BFLOAT16),
        ("long", dtypes.INT64), ("int", dtypes.BIT["int32"]), ("short", dtypes.BIT["int16"]),
        ("char", dtypes.BIT["int8"]), ("byte", dtypes.UINT8), ("bool", BOOL),
        ("cfloat", dtypes.COMPLEX64), ("cdouble", dtypes.BIT["complex128"]),
    ):  # fmt: skip
        rule(f"torch.Tensor.{method}", sample="n:*")(_cast(target))


def _cast(target: int) -> Function:
    def cast(self: Any, memory_format: Any = None) -> Tensor:
        return pointwise((self, "self"), dtype=target)

    return cast


_casts()
