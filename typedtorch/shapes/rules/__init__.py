"""Every family of rules; importing this package fills the table."""

from typedtorch.shapes.rules import creation, indexing, joining, linear, pointwise, reduction, sorting, views

__all__ = ["creation", "indexing", "joining", "linear", "pointwise", "reduction", "sorting", "views"]
