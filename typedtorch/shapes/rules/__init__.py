"""Every family of rules; importing this package fills the table."""

from typedtorch.shapes.rules import (
    attention,
    convolution,
    creation,
    einops,
    einsum,
    extras,
    fft,
    indexing,
    initialisation,
    inplace,
    joining,
    layers,
    linalg,
    linear,
    losses,
    normalisation,
    numpy_arrays,
    pointwise,
    pooling,
    properties,
    recurrent,
    reduction,
    sorting,
    views,
)

__all__ = [
    "attention", "convolution", "creation", "einops", "einsum", "extras", "fft", "indexing", "initialisation", "inplace", "joining", "layers", "linalg", "linear", "losses", "normalisation", "numpy_arrays", "pointwise", "pooling",
    "properties", "recurrent", "reduction", "sorting", "views",
]  # fmt: skip
