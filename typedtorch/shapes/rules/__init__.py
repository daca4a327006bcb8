"""Every family of rules; importing this package fills the table."""

from typedtorch.shapes.rules import indexing, joining, linear, pointwise, reduction, views

__all__ = ["indexing", "joining", "linear", "pointwise", "reduction", "views"]
