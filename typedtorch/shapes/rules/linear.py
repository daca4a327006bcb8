"""Products of matrices: matmul and its relatives, linear layers, with their FLOPs."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from typing import Any

from typedtorch.shapes.dtypes import ANY, COMPLEX, FLOAT8, FLOATING, INT64, INTEGRAL
from typedtorch.shapes.equality import same
from typedtorch.shapes.rule import Layer, layer, name, rule
from typedtorch.shapes.rules import hints
from typedtorch.shapes.rules.axis_patterns import lead, of_rank, signature, tail
from typedtorch.shapes.rules.forms import (
    axes_of,
    both,
    broadcast_operands,
    functional,
    is_size,
    literal,
    need,
    some_size,
)
from typedtorch.shapes.rules.layout import fresh
from typedtorch.shapes.rules.promotion import common_dtype, dtype_of, mask_of, result_type, stretched
from typedtorch.shapes.size import Size, unknown
from typedtorch.shapes.tensor import (
    ANY_AXES,
    UNKNOWN,
    Entry,
    Pack,
    Shape,
    ShapeError,
    Tensor,
    Undecided,
    broadcast,
    entry_size,
    numel,
    pack_index,
    show,
)


def _at_least(shape: Shape, rank: int) -> bool:
    """Whether the rank is known to be that much."""
    return sum(not isinstance(e, Pack) for e in shape) >= rank


def matmul_shape(a: Tensor, b: Tensor, first: str, second: str) -> Shape:
    """The shape of ``a @ b`` by torch's rules for vectors, matrices and batches.

    Raises:
        ShapeError: a scalar, inner sizes differ, or batch axes do not broadcast.
    """
    for tensor, who in ((a, first), (b, second)):
        if not tensor.shape:
            raise ShapeError(f"{who} has no axes: use * for a product with a number")
    left, right = a.shape, b.shape
    if pack_index(right) is not None and not _at_least(right, 2):
        return (ANY_AXES,)
    vector = len(right) == 1
    inner, other = tail(left, 1)[0], right[-1] if vector else tail(right, 2)[0]
    if inner is not None and other is not None and same(entry_size(inner), entry_size(other)) is False:
        own = "only" if len(left) == 1 else "last"
        axis = "last but one" if len(right) > 2 or pack_index(right) is not None else "first"
        raise ShapeError(
            f"the {own} axis of {first} is {inner} and the {'only' if vector else axis} axis of {second} "
            f"is {other}",
            hint=hints.transposed(a, b, first, second),
        )
    if vector:
        return left[:-1] if inner is not None else (ANY_AXES,)
    columns = right[-1]
    if pack_index(left) is None and len(left) == 1:
        return (*lead(right, 2), columns)
    if not _at_least(left, 1):
        return (ANY_AXES,) if pack_index(right) is not None or len(right) > 2 else (ANY_AXES, columns)
    if pack_index(right) is None and len(right) == 2:
        return (*lead(left, 1), columns)
    if pack_index(left) is not None and not _at_least(left, 2):
        return (ANY_AXES, columns)
    first_batch, second_batch = lead(left, 2), lead(right, 2)
    try:
        batch = broadcast(first_batch, second_batch)
    except ShapeError:
        raise ShapeError(
            f"the batch axes {show(first_batch)} of {first} and {show(second_batch)} of {second} do "
            "not broadcast"
        ) from None
    rows = tail(left, 2)[0]
    return (*batch, unknown() if rows is None else rows, columns)


def matmul_flops(input: Any, other: Any, *, out: Any = None) -> Size:
    """2 FLOPs for each product and sum."""
    shape = matmul_shape(need(input), need(other), "input", "other")
    return 2 * numel(shape) * entry_size(input.shape[-1])


@rule(*both("matmul"), "torch.linalg.matmul", flops=matmul_flops, sample=(
    "f:... m k, f:... k n | f:m k, f:k n | f:... k, f:k n | f:k, f:... k n | f:k, f:k | "
        "f:#... m k, f:#... k n"))  # fmt: skip
def matmul(input: Any, other: Any, *, out: Any = None) -> Tensor:
    first, second = name(input, "input"), name(other, "other")
    shape = matmul_shape(need(input), need(other), first, second)
    mask = common_dtype((input, "input"), (other, "other"), what="@")
    if other.rank is not None and input.rank is not None and len(input.shape) >= len(other.shape) > 1:
        return fresh(input, shape, mask)
    return input.of(shape, mask)  # a matrix times a batch is computed transposed


@rule(
    "torch.Tensor.__matmul__", flops=matmul_flops, sample="f:... m k, f:... k n | f:... k, f:k n | f:k, f:k"
)
def matmul_operator(self: Any, other: Any) -> Tensor:
    if isinstance(other, Tensor) and other.library != need(self).library:  # numpy multiplies, torch wraps
        return self.of(matmul_shape(self, other, name(self, "self"), name(other, "other")), ANY)
    return matmul(self, other)


@rule(
    "torch.Tensor.__rmatmul__",
    flops=lambda self, other: matmul_flops(other, self),
    sample="f:... k n, f:... m k",
)
def reflected_matmul(self: Any, other: Any) -> Tensor:
    return matmul(other, self)


signature("torch.mm(input, mat2)", "m k, k n -> m n", "torch.Tensor.mm", "torch.spmm", flops="2 m k n")
signature("torch.bmm(input, mat2)", "b m k, b k n -> b m n", "torch.Tensor.bmm", flops="2 b m k n")
signature("torch.mv(input, vec)", "m k, k -> m", "torch.Tensor.mv")
signature("torch.dot(input, tensor)", "k, k -> ", "torch.Tensor.dot")
signature("torch.vdot(input, other)", "k, k -> ", "torch.Tensor.vdot")


@rule(*both("trace"), sample="n:m n")
def trace(input: Any) -> Tensor:
    of_rank(need(input), "input", "m", "n")
    mask = mask_of(input)
    return input.of((), mask & ~INTEGRAL | (INT64 if mask & INTEGRAL else 0))


@rule(*both("outer", "ger"), sample="n:m, n:n")
def outer(input: Any, vec2: Any, *, out: Any = None) -> Tensor:

    for tensor, parameter in ((need(input), "input"), (need(vec2), "vec2")):
        if tensor.rank not in (None, 1):
            raise ShapeError(f"{name(tensor, parameter)} has shape {show(tensor.shape)}, wanted one axis")
    if input.rank is None or vec2.rank is None:
        return input.of((unknown(), unknown()), result_type(input, vec2))
    return input.of((*input.shape, *vec2.shape), result_type(input, vec2))


@rule(*both("inner"), sample="f:... m k, f:n k | f:k, f:k | f:m k, f:k")
def inner(input: Any, other: Any, *, out: Any = None) -> Tensor:
    if not need(input).shape or not need(other).shape:
        return input.of(input.shape or other.shape, result_type(input, other))
    mask = common_dtype((input, "input"), (other, "other"))
    left, right = tail(input.shape, 1)[0], tail(other.shape, 1)[0]
    if left is None or right is None:
        return input.of((ANY_AXES,), mask)
    if same(entry_size(left), entry_size(right)) is False:
        raise ShapeError(
            f"the last axis of {name(input, 'input')} is {left} and of {name(other, 'other')} {right}"
        )
    return input.of((*input.shape[:-1], *other.shape[:-1]), mask)


@rule("torch.tensordot", sample="f:a b c, f:b c d | f:a b, f:b d, 1 | f:a b c, f:c d a, ([0, 2], [2, 0])")
def tensordot(a: Any, b: Any, dims: Any = 2, out: Any = None) -> Tensor:
    mask = common_dtype((need(a), "a"), (need(b), "b"))
    if is_size(dims):
        count = literal(dims)
        left, right = list(range(len(a.sizes()) - count, len(a.sizes()))), list(range(count))
        if (left and left[0] < 0) or count > len(b.sizes()):
            raise ShapeError(f"dims={count}, but the ranks are {len(a.shape)} and {len(b.shape)}")
    elif isinstance(dims, (tuple, list)) and len(dims) == 2:
        first, second = ([d] if isinstance(d, int) else d for d in dims)
        left, right = axes_of(a.sizes(), first, name(a, "a")), axes_of(b.sizes(), second, name(b, "b"))
    else:
        raise Undecided
    if len(left) != len(right):
        raise ShapeError(f"dims names {len(left)} axes of {name(a, 'a')} and {len(right)} of {name(b, 'b')}")
    for i, j in zip(left, right, strict=True):
        x, y = a.sizes()[i], b.sizes()[j]
        if x != 1 and y != 1 and same(x, y) is False:
            raise ShapeError(f"axis {i} of {name(a, 'a')} is {x} and axis {j} of {name(b, 'b')} is {y}")
    kept = [e for i, e in enumerate(a.shape) if i not in left] + [
        e for i, e in enumerate(b.shape) if i not in right
    ]
    return a.of(kept, mask)


# --- a product added to a tensor ---------------------------------------------------------------


def _added(product: Tensor, added: Tensor, parameter: str) -> Tensor:
    """The product's shape; the added tensor must broadcast to it."""
    shape = broadcast_operands((product, "the product"), (added, parameter))
    known = pack_index(shape) is None and pack_index(product.shape) is None
    if known and (
        len(shape) != len(product.shape)
        or any(same(entry_size(x), entry_size(y)) is False for x, y in zip(shape, product.shape, strict=True))
    ):
        raise ShapeError(
            f"{name(added, parameter)} of shape {show(added.shape)} does not broadcast to "
            f"{show(product.shape)}"
        )
    return product


def _matrices(
    input: Any,
    first: Any,
    second: Any,
    names: tuple[str, str],
    ranks: tuple[int, int],
    out_dtype: Any = None,
) -> Tensor:
    letters = {3: ("b", "m", "k"), 2: ("m", "k"), 1: ("k",)}
    left, right = (
        tensor.of(of_rank(need(tensor), parameter, *letters[rank])).named(name(tensor, parameter))
        for tensor, parameter, rank in zip((first, second), names, ranks, strict=True)
    )
    if out_dtype is not None:  # the operands alone share one
        input = need(input).of(input.shape, mask_of(first))
    common_dtype((need(input), "input"), (first, names[0]), (second, names[1]))
    if ranks == (3, 3) and same(left.sizes()[0], right.sizes()[0]) is False:
        raise ShapeError(
            f"the first axis of {left.label} is {left.shape[0]} and of {right.label} {right.shape[0]}"
        )
    made = _added(matmul(left, right), input, "input")
    return made.of(made.shape, dtype_of(out_dtype, mask_of(made)))


def _addmm_flops(input: Any, mat1: Any, mat2: Any, **_: Any) -> Size:
    return matmul_flops(mat1, mat2)


@rule(*both("addmm"), flops=_addmm_flops, sample="f:#m #n, f:m k, f:k n | f:n, f:m k, f:k n, beta=0.5")
def addmm(
    input: Any,
    mat1: Any,
    mat2: Any,
    out_dtype: Any = None,
    *,
    beta: Any = 1,
    alpha: Any = 1,
    out: Any = None,
) -> Tensor:
    return _matrices(input, mat1, mat2, ("mat1", "mat2"), (2, 2), out_dtype)


@rule(*both("baddbmm"), flops=_addmm_flops, sample="f:#b #m #n, f:b m k, f:b k n")
def baddbmm(
    input: Any,
    batch1: Any,
    batch2: Any,
    out_dtype: Any = None,
    *,
    beta: Any = 1,
    alpha: Any = 1,
    out: Any = None,
) -> Tensor:
    return _matrices(input, batch1, batch2, ("batch1", "batch2"), (3, 3), out_dtype)


@rule(*both("addbmm"), sample="f:#m #n, f:b m k, f:b k n")
def addbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1, out: Any = None) -> Tensor:
    empty = Tensor((), mask_of(need(input)))
    product = _matrices(empty, batch1, batch2, ("batch1", "batch2"), (3, 3))
    return _added(product.of(product.shape[-2:]), input, "input")


@rule(*both("addmv"), sample="f:#m, f:m k, f:k")
def addmv(input: Any, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1, out: Any = None) -> Tensor:
    return _matrices(input, mat, vec, ("mat", "vec"), (2, 1))


@rule(*both("addr"), sample="f:#m #n, f:m, f:n")
def addr(input: Any, vec1: Any, vec2: Any, *, beta: Any = 1, alpha: Any = 1, out: Any = None) -> Tensor:
    made = _added(outer(vec1, vec2), need(input), "input")
    return made.of(made.shape, result_type(stretched(input), made))


# --- linear layers -----------------------------------------------------------------------------


def _linear_flops(input: Any, weight: Any, bias: Any = None) -> Size:
    return 2 * numel(need(input).shape) * entry_size(need(weight).shape[0])


@rule(*functional("linear"), flops=_linear_flops, sample="f:... d, f:k d | f:... d, f:k d, f:k")
def linear(input: Any, weight: Any, bias: Any = None) -> Tensor:
    """``(..., in) @ (out, in).T + (out,)``."""
    first, second = name(input, "input"), name(weight, "weight")
    operands = [(need(input), "input"), (need(weight), "weight")]
    if isinstance(bias, Tensor):
        operands.append((bias, "bias"))
    mask = common_dtype(*operands, what="linear")
    if not input.shape:
        raise ShapeError(f"{first} has no axes, wanted (..., in)")
    if weight.rank not in (None, 1, 2):
        raise ShapeError(f"{second} has shape {show(weight.shape)}, wanted (out, in)")
    if weight.rank is None:
        return input.of((ANY_AXES,), mask)
    inner, wanted = tail(input.shape, 1)[0], weight.shape[-1]
    if inner is not None and same(entry_size(inner), entry_size(wanted)) is False:
        flipped = len(weight.shape) == 2 and inner == weight.shape[0]
        hint = f"linear takes the weight as (out, in): {hints.turned(second, 2)} fits" if flipped else None
        raise ShapeError(
            f"the last axis of {first} is {inner} and the last axis of {second} is {wanted}", hint=hint
        )
    made = (*lead(input.shape, 1), *weight.shape[:-1])
    if isinstance(bias, Tensor) and len(weight.shape) == 1:
        raise ShapeError(f"{second} has shape {show(weight.shape)}, wanted (out, in) where there is a bias")
    if isinstance(bias, Tensor) and bias.rank is not None and len(weight.shape) == 2:
        _check_bias(bias, weight.shape[0])
    return fresh(input, made, mask)


def _check_bias(bias: Tensor, out: Entry) -> None:
    who = name(bias, "bias")
    if len(bias.shape) > 2:
        raise ShapeError(f"{who} has shape {show(bias.shape)}, wanted ({out},)")
    if bias.shape and bias.shape[-1] != 1 and same(entry_size(bias.shape[-1]), entry_size(out)) is False:
        raise ShapeError(f"{who} has {bias.shape[-1]} elements and the weight has {out} outputs")
    if len(bias.shape) == 2:
        raise Undecided  # one for all rows, or for each


@rule(
    *functional("bilinear"),
    "torch.bilinear",
    sample="f:... a, f:... b, f:k a b | f:... a, f:... b, f:k a b, f:k",
)
def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Tensor:
    first, second, third = need(input1), need(input2), need(weight)
    operands = [(first, "input1"), (second, "input2"), (third, "weight")]
    if isinstance(bias, Tensor):
        operands.append((bias, "bias"))
    mask = common_dtype(*operands, what="bilinear")
    if third.rank not in (None, 3):
        raise ShapeError(f"{name(third, 'weight')} has shape {show(third.shape)}, wanted (out, in1, in2)")
    if third.rank is None or first.rank is None or second.rank is None:
        raise Undecided
    for tensor, parameter, place in ((first, "input1", 1), (second, "input2", 2)):
        if not tensor.shape or same(tensor.sizes()[-1], third.sizes()[place]) is False:
            raise ShapeError(
                f"{name(tensor, parameter)} has shape {show(tensor.shape)}, wanted (..., "
                f"{third.shape[place]})"
            )
    if len(first.shape) != len(second.shape) or any(
        same(x, y) is False for x, y in zip(first.sizes()[:-1], second.sizes()[:-1], strict=True)
    ):
        raise ShapeError(f"the leading axes {show(first.shape[:-1])} and {show(second.shape[:-1])} differ")
    if isinstance(bias, Tensor) and bias.rank is not None:
        if len(bias.shape) != 1:
            raise Undecided
        if same(bias.sizes()[0], third.sizes()[0]) is False:
            raise ShapeError(
                f"{name(bias, 'bias')} has {bias.shape[0]} elements and the weight has "
                f"{third.shape[0]} outputs"
            )
    return first.of((*first.shape[:-1], third.shape[0]), mask)


def parameter_dtype(dtype: Any) -> int:
    """The dtype of a layer's parameters: float32 unless asked otherwise, or unknown."""

    # a model may be cast as a whole later, so the default is not a promise
    return dtype_of(dtype, FLOATING & ~FLOAT8 | COMPLEX)


def own_bias(size: Any, bias: Any, dtype: Any) -> Any:
    """The bias of a layer: a tensor, None, or unknown where it is not known whether there is one."""
    if bias is True:
        return Tensor((size,), parameter_dtype(dtype), "bias")
    return None if bias is False else UNKNOWN


@layer("torch.nn.Linear", sample="size:d, size:k -> f:... d | size:d, size:k, bias=False -> f:... d")
def linear_layer(
    in_features: Any, out_features: Any, bias: Any = True, device: Any = None, dtype: Any = None
) -> Layer:
    in_features, out_features = some_size(in_features), some_size(out_features)
    weight = Tensor((out_features, in_features), parameter_dtype(dtype), "weight")
    offset = own_bias(out_features, bias, dtype)

    def forward(input: Any) -> Tensor:
        inner = tail(need(input).shape, 1)[0]
        if inner is not None and same(entry_size(inner), in_features) is False:
            raise ShapeError(
                f"in_features is {in_features}, the last axis of {name(input, 'input')} is {inner}",
                hint=hints.into_linear(input, in_features),
            )
        return linear(input, weight, offset)

    return Layer(
        forward, {"weight": weight, "bias": offset, "in_features": in_features, "out_features": out_features}
    )
