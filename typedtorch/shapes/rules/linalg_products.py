"""Products of matrices and vectors, in torch.linalg and beside it."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.equality import same
from typedtorch.shapes.rule import name, rule
from typedtorch.shapes.rules.forms import broadcast_operands, need, reduced
from typedtorch.shapes.rules.linear import matmul_shape
from typedtorch.shapes.rules.promotion import common_dtype, result_type, want
from typedtorch.shapes.rules.reduction import summed
from typedtorch.shapes.tensor import Entry, ShapeError, Tensor, Undecided, show


@rule("torch.linalg.multi_dot", sample="[D:a b, D:b c, D:c d] | [D:a, D:a b] | [D:a b, D:b]")
def multi_dot(tensors: Any, *, out: Any = None) -> Tensor:
    if not isinstance(tensors, (list, tuple)) or len(tensors) < 2:
        raise Undecided
    given = [need(t) for t in tensors]
    mask = common_dtype(*((t, f"tensor {i}") for i, t in enumerate(given)))
    for i, tensor in enumerate(given):
        allowed = (1, 2) if i in (0, len(given) - 1) else (2,)
        if tensor.rank is None:
            raise Undecided
        if tensor.rank not in allowed:
            raise ShapeError(
                f"{tensor.label or f'tensor {i}'} has shape {show(tensor.shape)}, wanted a matrix"
            )
    result = given[0]
    for i, tensor in enumerate(given[1:], 1):
        shape = matmul_shape(
            result, tensor, given[i - 1].label or f"tensor {i - 1}", tensor.label or f"tensor {i}"
        )
        result = result.of(shape)
    return result.of(result.shape, mask)


@rule("torch.chain_matmul", sample="D:a b, D:b c, D:c d")
def chain_matmul(*matrices: Any, out: Any = None) -> Tensor:
    for i, matrix in enumerate(matrices):
        if need(matrix).rank not in (None, 2):
            raise ShapeError(
                f"{matrix.label or f'matrix {i}'} has shape {show(matrix.shape)}, wanted a matrix"
            )
    return multi_dot(list(matrices))


@rule("torch.kron", "torch.Tensor.kron", sample="f:a b, f:c d | f:a, f:b c")
def kron(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Sizes multiply, aligned at the last axis."""
    a, b = need(input).sizes(), need(other).sizes()
    rank = max(len(a), len(b))
    left, right = ((*(1 for _ in range(rank - len(s))), *s) for s in (a, b))
    return input.of((x * y for x, y in zip(left, right, strict=True)), result_type(input, other))


@rule("torch.linalg.vander", sample="f:... n")
def vander(x: Any, N: Any = None) -> Tensor:
    tensor = need(x)
    if not tensor.shape:
        raise Undecided  # torch makes one axis of it, or refuses, as N is given or not
    count: Entry = tensor.shape[-1] if N is None else N
    if isinstance(count, int) and count < 2:
        raise ShapeError(f"N is {count}, wanted at least 2")
    mask = want(tensor, ~(dtypes.FLOAT16 | dtypes.BFLOAT16 | dtypes.BOOL), "x", "numbers of 32 bits or more")
    return tensor.of((*tensor.shape, count), summed(mask))


@rule("torch.linalg.vecdot", sample="f:#..., f:#... | f:a d, f:a d, dim=-1")
def vecdot(x: Any, y: Any, *, dim: Any = -1, out: Any = None) -> Tensor:
    """Sum of products along one axis, conjugated on the left."""
    mask = common_dtype((need(x), "x"), (need(y), "y"), what="vecdot")
    if () in (x.shape, y.shape):
        raise Undecided
    if x.rank == y.rank == 1 and same(x.sizes()[0], y.sizes()[0]) is False:
        raise ShapeError(f"{name(x, 'x')} has {x.shape[0]} elements and {name(y, 'y')} {y.shape[0]}")
    return x.of(reduced(broadcast_operands((x, "x"), (y, "y")), dim, False, "the operands"), mask)
