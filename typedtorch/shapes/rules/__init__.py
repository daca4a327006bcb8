"""Every family of rules; importing this package fills the table."""

from typedtorch.shapes.rules import (
    creation,
    einops,
    einsum,
    indexing,
    joining,
    linear,
    pointwise,
    reduction,
    sorting,
    views,
)

__all__ = [
    "creation",
    "einops",
    "einsum",
    "indexing",
    "joining",
    "linear",
    "pointwise",
    "reduction",
    "sorting",
    "views",
]
