"""Every family of rules; importing this package fills the table."""

from typedtorch.shapes.rules import (
    convolution,
    creation,
    einops,
    einsum,
    indexing,
    joining,
    layers,
    linear,
    normalisation,
    pointwise,
    pooling,
    properties,
    reduction,
    sorting,
    views,
)

__all__ = [
    "convolution", "creation", "einops", "einsum", "indexing", "joining", "layers", "linear", "normalisation", "pointwise", "pooling",
    "properties", "reduction", "sorting", "views",
]  # fmt: skip
