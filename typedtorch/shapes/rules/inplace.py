"""Methods that change a tensor where it is, made from the rules of their other forms."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.dtypes import BOOL
from typedtorch.shapes.equality import same
from typedtorch.shapes.rule import RULES, name, rule, spelled
from typedtorch.shapes.rules.diagonals import diagonal, renorm, tril
from typedtorch.shapes.rules.forms import Function, axes_of, both, literal, need
from typedtorch.shapes.rules.gathering import select
from typedtorch.shapes.rules.indexing import INDEX, broadcastable_into, indexed
from typedtorch.shapes.rules.linear import addmm, addmv, addr, baddbmm
from typedtorch.shapes.rules.permuting import t, transpose
from typedtorch.shapes.rules.pointwise import check_stored
from typedtorch.shapes.rules.promotion import common_dtype, mask_of, want
from typedtorch.shapes.rules.reduction import cumsum
from typedtorch.shapes.rules.views import squeeze, unsqueeze
from typedtorch.shapes.tensor import Pack, ShapeError, Tensor, Undecided, numel, same_shape, show


def _stored(base: Function, operator: str) -> Function:
    """The result must fit the tensor it is written to."""

    def inplace(self: Any, *args: Any, **settings: Any) -> Any:
        rest, named = spelled(base, args, settings)
        made = base(self, *rest, **named)
        check_stored(need(self), made, operator)
        return self

    return inplace


def _reshaping(base: Function) -> Function:
    """The tensor itself takes the new shape."""

    def inplace(self: Any, *args: Any, **named: Any) -> Any:
        positional, keywords = spelled(base, (self, *args), named)
        return base(*positional, **keywords)

    return inplace


_STORED: tuple[tuple[str, Function, str], ...] = (
    ("addmm", addmm, "f:m n, f:m k, f:k n"), ("addmv", addmv, "f:m, f:m k, f:k"),
    ("addr", addr, "f:m n, f:m, f:n"),
    ("baddbmm", baddbmm, "f:b m n, f:b m k, f:b k n"),
    ("cumsum", cumsum, "n:*, dim"), ("cumprod", cumsum, "n:*, dim"), ("tril", tril, "n:... a b | n:a b, 1"),
    ("triu", tril, "n:... a b | n:a b, -1"), ("renorm", renorm, "f:a b, 2, dim, 1.0"),
)  # fmt: skip
for _operator, _base, _sample in _STORED:
    rule(f"torch.Tensor.{_operator}_", sample=_sample)(_stored(_base, f"{_operator}_"))

_RESHAPED: tuple[tuple[tuple[str, ...], Function, str], ...] = (
    (("transpose", "swapaxes", "swapdims"), transpose, "f:*, dim, dim"), (("t",), t, "f:a b"),
    (("squeeze",), squeeze, "f:a 1 b, 1 | f:1 a, 0"), (("unsqueeze",), unsqueeze, "f:*, place"),
)  # fmt: skip
for _operators, _base, _sample in _RESHAPED:
    rule(*(f"torch.Tensor.{o}_" for o in _operators), sample=_sample)(_reshaping(_base))


# torch.relu_(x) and its like: the method as a function
_FUNCTIONS = [
    "abs",
    "acos",
    "acosh",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctanh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "ceil",
    "clamp",
    "clamp_max",
    "clamp_min",
    "clip",
    "conj_physical",
    "cos",
    "cosh",
    "deg2rad",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "fix",
    "floor",
    "frac",
    "gcd",
    "lcm",
    "ldexp",
    "log",
    "log10",
    "log1p",
    "log2",
    "logit",
    "nan_to_num",
    "neg",
    "negative",
    "rad2deg",
    "reciprocal",
    "round",
    "rsqrt",
    "sigmoid",
    "sin",
    "sinc",
    "sinh",
    "sqrt",
    "square",
    "tan",
    "tanh",
    "trunc",
    "xlogy",
]
for _name in _FUNCTIONS:
    _row = RULES[f"torch.Tensor.{_name}_"]
    rule(f"torch.{_name}_", sample=_row.sample)(_row.function)


def _part(part: Tensor, src: Any, parameter: str = "src") -> None:
    if isinstance(src, Tensor) and same_shape(src.shape, part.shape) is False:
        raise ShapeError(
            f"{name(src, parameter)} has shape {show(src.shape)}, the part it replaces {show(part.shape)}"
        )


@rule(*both("select_scatter"), sample="f:a b c, f:a c, 1, 0 | f:a b, f:b, 0, 0")
def select_scatter(input: Any, src: Any, dim: Any, index: Any) -> Tensor:
    _part(select(input, dim, index), need(src))
    return need(input).of(input.shape)


@rule(*both("diagonal_scatter"), sample="f:a a, f:a | f:a a b, f:b a")
def diagonal_scatter(input: Any, src: Any, offset: Any = 0, dim1: Any = 0, dim2: Any = 1) -> Tensor:
    _part(diagonal(input, offset, dim1, dim2), need(src))
    return need(input).of(input.shape)


@rule(*both("slice_scatter"), sample="f:a b, f:a b | f:a 6, f:a 3, 1, 0, 3 | f:8 b, f:2 b, start=6")
def slice_scatter(
    input: Any, src: Any, dim: Any = 0, start: Any = None, end: Any = None, step: Any = 1
) -> Tensor:

    tensor = need(input)
    (place,) = axes_of(tensor.sizes(), [literal(dim)], name(input, "input"))
    index = (*(slice(None) for _ in range(place)), slice(start, end, step))
    _part(tensor.of(indexed(tensor, index, name(input, "input"))[0]), need(src))
    return tensor.of(tensor.shape)


@rule(
    "torch.Tensor.index_put_",
    *both("index_put"),
    sample="f:a b, (I:n,), f:n b | f:a b, (I:n, I:n), f:n | "
    "f:a b, (I:n, I:n), f:n, accumulate=True | f:a b, (B:a b,), F:",
)
def index_put_(input: Any, indices: Any, values: Any, accumulate: Any = False) -> Tensor:
    tensor, who = need(input), name(input, "input")
    if not isinstance(indices, (tuple, list)):
        raise Undecided
    shape, _ = indexed(tensor, tuple(indices), who)
    if not mask_of(need(values)) & mask_of(tensor) and any(not isinstance(e, Pack) for e in values.shape):
        raise ShapeError(
            f"{name(values, 'values')} is {dtypes.show(mask_of(values))} and {who} is "
            f"{dtypes.show(mask_of(tensor))}",
            "dtype",
        )
    if broadcastable_into(values.shape, shape) is False:
        raise ShapeError(
            f"{name(values, 'values')} has shape {show(values.shape)}, the indexed part of {who} "
            f"{show(shape)}"
        )
    return tensor.of(tensor.shape)


@rule("torch.Tensor.masked_scatter_", sample="f:a b, B:a b, f:n | f:a b, B:b, f:a b")
def masked_scatter_(self: Any, mask: Any, source: Any) -> Tensor:
    want(need(mask), BOOL, "mask", "a bool mask")
    common_dtype((need(self), "self"), (need(source), "source"))
    if broadcastable_into(mask.shape, self.shape) is False:
        raise ShapeError(
            f"{name(mask, 'mask')} of shape {show(mask.shape)} does not broadcast to {show(self.shape)}"
        )
    return need(self)


@rule("torch.Tensor.fill_diagonal_", sample="f:a b, 0.0 | f:a a, 1")
def fill_diagonal_(self: Any, fill_value: Any, wrap: Any = False) -> Tensor:
    if need(self).rank is not None and len(self.shape) < 2:
        raise ShapeError(f"{name(self, 'self')} has shape {show(self.shape)}, wanted at least two axes")
    if self.rank is not None and len(self.shape) > 2:
        raise Undecided
    return need(self)


@rule("torch.Tensor.put_", *both("put"), sample="f:a b, I:n, f:n")
def put_(input: Any, index: Any, source: Any, accumulate: Any = False) -> Tensor:
    want(need(index), INDEX & dtypes.INT64, "index", "int64")
    common_dtype((need(input), "input"), (need(source), "source"))
    if index.rank is None or source.rank is None:
        return input.of(input.shape)

    if same(numel(index.shape), numel(source.shape)) is False:
        raise ShapeError(
            f"{name(index, 'index')} has {numel(index.shape)} elements and {name(source, 'source')} "
            f"{numel(source.shape)}"
        )
    return input.of(input.shape)


@rule("torch.fill", "torch.fill_", sample="n:*, 1")
def fill(input: Any, value: Any) -> Tensor:
    if isinstance(value, Tensor) and value.rank not in (None, 0):
        raise ShapeError(f"{name(value, 'value')} has shape {show(value.shape)}: fill takes one number")
    return need(input).of(input.shape)


@rule("torch.zero_", sample="n:*")
def zero_(input: Any) -> Tensor:
    return need(input)
