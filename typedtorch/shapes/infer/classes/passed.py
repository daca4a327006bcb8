"""Configurations without annotations, as values: objects of which only some integers are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from typedtorch.shapes.infer.values.values import UNKNOWN, Value


@dataclass(frozen=True, slots=True)
class Passed:
    """An object of which only some integers are known: a configuration without annotations.

    ``model.width`` is an integer of what its attribute or item ``model`` is.
    """

    sizes: Mapping[str, Value]

    __hash__ = None  # type: ignore[assignment]  # it holds a dict

    def part(self, name: str) -> Value:
        """Its attribute or item of this name."""
        if name in self.sizes:
            return self.sizes[name]
        inside = {k.removeprefix(f"{name}."): v for k, v in self.sizes.items() if k.startswith(f"{name}.")}
        return Passed(inside) if inside else UNKNOWN
