"""Every family of rules; importing this package fills the table."""

from typedtorch.shapes.rules import pointwise

__all__ = ["pointwise"]
