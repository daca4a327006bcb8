"""Embeddings: rows of a table by index."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.dtypes import BIT, FLOATING, INT64
from typedtorch.shapes.rule import Layer, layer, name, rule
from typedtorch.shapes.rules.axis_patterns import of_rank
from typedtorch.shapes.rules.forms import expect_shape, functional, is_size, need, some_size
from typedtorch.shapes.rules.layout import fresh
from typedtorch.shapes.rules.linear import parameter_dtype
from typedtorch.shapes.rules.promotion import mask_of, want
from typedtorch.shapes.size import Size, unknown
from typedtorch.shapes.tensor import UNKNOWN, ShapeError, Tensor, Undecided, entry_size, show

_INDEX = INT64 | BIT["int32"]


@rule(*functional("embedding"), sample="I:*, f:n d | J:b s, f:n d, 0 | I:b, f:n d")
def embedding(
    input: Any,
    weight: Any,
    padding_idx: Any = None,
    max_norm: Any = None,
    norm_type: Any = 2.0,
    scale_grad_by_freq: Any = False,
    sparse: Any = False,
) -> Tensor:
    """One row of the weight for each index: ``(...), (n, d) -> (..., d)``."""
    want(need(input), _INDEX, "input", "int64 or int32 indices", f"use {name(input, 'input')}.long()")
    _, width = of_rank(need(weight), "weight", "n", "d")
    return fresh(weight, (*input.shape, width), mask_of(weight))


@rule("torch.embedding", sample="f:n d, I:*")
def plain_embedding(
    weight: Any, indices: Any, padding_idx: Any = -1, scale_grad_by_freq: Any = False, sparse: Any = False
) -> Tensor:
    return embedding(indices, weight)


@layer("torch.nn.Embedding", sample="9, size:d -> I:* | 9, size:d, padding_idx=0 -> I:b s | 9, 3 -> J:b")
def embedding_layer(
    num_embeddings: Any,
    embedding_dim: Any,
    padding_idx: Any = None,
    max_norm: Any = None,
    norm_type: Any = 2.0,
    scale_grad_by_freq: Any = False,
    sparse: Any = False,
    _weight: Any = None,
    _freeze: Any = False,
    device: Any = None,
    dtype: Any = None,
) -> Layer:
    num_embeddings, embedding_dim = some_size(num_embeddings), some_size(embedding_dim)
    weight = Tensor((num_embeddings, embedding_dim), parameter_dtype(dtype), "weight")
    if (
        isinstance(padding_idx, int)
        and isinstance(num_embeddings, int)
        and not -num_embeddings <= padding_idx < num_embeddings
    ):
        raise ShapeError(f"padding_idx={padding_idx} is not one of {num_embeddings} rows")
    held = {"weight": weight, "num_embeddings": num_embeddings, "embedding_dim": embedding_dim}
    return Layer(lambda input: embedding(input, weight), held | _padded_row(padding_idx, num_embeddings))


def _padded_row(index: Any, rows: Any) -> dict[str, Any]:
    """Which row stays zero, counted from the first."""
    from_end = is_size(index) and is_size(rows) and isinstance(index, int) and index < 0
    return {"padding_idx": rows + index if from_end else index}


@layer("torch.nn.Embedding.from_pretrained", sample="f:n d -> I:* | f:n d, False -> I:b s")
def embedding_of_a_table(
    embeddings: Any,
    freeze: Any = True,
    padding_idx: Any = None,
    max_norm: Any = None,
    norm_type: Any = 2.0,
    scale_grad_by_freq: Any = False,
    sparse: Any = False,
) -> Layer:
    """An embedding whose rows are those of a tensor."""
    rows, width = of_rank(need(embeddings), "embeddings", "n", "d")
    held = {"weight": embeddings, "num_embeddings": rows, "embedding_dim": width}
    return Layer(lambda input: embedding(input, embeddings), held | _padded_row(padding_idx, rows))


def _certainly_swapped(input: Tensor, weight: Tensor) -> bool:
    if not weight.dtype & INT64 or not input.dtype & FLOATING:
        return False
    return not weight.dtype & FLOATING or not input.dtype & _INDEX


@rule(*functional("embedding_bag"), sample=(
    "I:b s, f:n d | I:b s, f:n d, mode='sum' | I:k, f:n d, I:b | "
    "I:k, f:n d, I:B, include_last_offset=True"))  # fmt: skip
def embedding_bag(
    input: Any,
    weight: Any,
    offsets: Any = None,
    max_norm: Any = None,
    norm_type: Any = 2.0,
    scale_grad_by_freq: Any = False,
    mode: Any = "mean",
    sparse: Any = False,
    per_sample_weights: Any = None,
    include_last_offset: Any = False,
    padding_idx: Any = None,
) -> Tensor:
    """``(bags, n), (vocab, d) -> (bags, d)``; flat indices with the offsets of the bags."""
    if isinstance(input, Tensor) and isinstance(weight, Tensor) and _certainly_swapped(input, weight):
        input, weight = weight, input  # the order of old releases, which torch still takes
    if offsets is None:
        want(need(input), _INDEX, "input", "int64 or int32 indices", f"use {name(input, 'input')}.long()")
    _, width = of_rank(need(weight), "weight", "n", "d")
    want(weight, FLOATING, "weight", "a floating dtype")
    if input.rank is None:
        return weight.of((unknown(), width), mask_of(weight))
    if len(input.shape) == 2:
        if isinstance(offsets, Tensor):
            raise ShapeError(f"{name(input, 'input')} has rank 2, which leaves no place for offsets")
        return weight.of((input.shape[0], width), mask_of(weight))
    if len(input.shape) != 1:
        raise ShapeError(
            f"{name(input, 'input')} has shape {show(input.shape)}, wanted (bags, n) or (n,) with offsets"
        )
    if offsets is None:
        raise ShapeError(f"{name(input, 'input')} has rank 1, so offsets are needed")
    want(need(offsets), dtypes.INTEGRAL, "offsets", "int64 or int32")
    if not mask_of(offsets) & mask_of(input):
        raise Undecided
    if offsets.rank not in (None, 1):
        raise ShapeError(f"{name(offsets, 'offsets')} has shape {show(offsets.shape)}, wanted one axis")
    if isinstance(per_sample_weights, Tensor):
        expect_shape(per_sample_weights, "per_sample_weights", input.shape)
    bags: Size = unknown()
    if offsets.rank is not None and isinstance(include_last_offset, bool):
        bags = entry_size(offsets.shape[0]) - include_last_offset
    return weight.of((bags, width), mask_of(weight))


@layer("torch.nn.EmbeddingBag", sample="9, size:d -> I:b s | 9, size:d, mode='sum' -> I:k, I:b")
def embedding_bag_layer(
    num_embeddings: Any, embedding_dim: Any, *settings: Any, dtype: Any = None, **more: Any
) -> Layer:
    last = more.get("include_last_offset", UNKNOWN if len(settings) > 6 else False)
    weight = Tensor((num_embeddings, embedding_dim), parameter_dtype(dtype), "weight")
    return Layer(
        lambda input, offsets=None, per_sample_weights=None: embedding_bag(
            input, weight, offsets, per_sample_weights=per_sample_weights, include_last_offset=last
        ),
        {"weight": weight, "num_embeddings": num_embeddings, "embedding_dim": embedding_dim},
    )
