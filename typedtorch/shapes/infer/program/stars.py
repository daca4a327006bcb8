"""Names that ``from module import *`` brings."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

from typedtorch.shapes.infer.values.values import External, Value

if TYPE_CHECKING:
    from typedtorch.shapes.infer.program.program import Module

_WHOLE = ("jaxtyping", "torch", "typing", "math", "numpy", "einops")  # whose names are known by their own


def find_in_stars(module: Module, name: str) -> tuple[Value] | None:
    """The name in modules that are imported whole, and in what these import so; each is asked once.

    Packages whose parts all import each other in this way would take forever otherwise.
    """
    asked = {module.name}
    ahead = module.stars[::-1]
    while ahead:
        star = ahead.pop()
        if star in asked:
            continue
        asked.add(star)
        if star in _WHOLE and not hasattr(builtins, name):
            return (External(f"{star}.{name}"),)
        source = module.program.module(star)
        if source is None:
            continue
        if name in source.resolved or source.bindings.get(name):
            return source.find(name)
        ahead += source.stars[::-1]
    return None
