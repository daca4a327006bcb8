"""The frozen records an account hands out; every number is an exact integer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from typedtorch.accounting.trace import Category


@dataclass(frozen=True)
class Parameters:
    """Counts of learned numbers."""

    total: int
    trainable: int
    embedding: int
    by_module: Mapping[str, int] = field(repr=False)


@dataclass(frozen=True)
class Flops:
    """FLOPs of one step.  ``step`` is forward + backward + optimizer; ``hardware`` adds ``recompute``.

    ``masked`` is the part of forward and backward that a causal mask makes unnecessary; ``elementwise``
    the steps of forward and backward that are no multiply-adds of the layers' equations.
    """

    forward: int
    backward: int
    recompute: int
    optimizer: int
    step: int
    hardware: int
    masked: int
    elementwise: int


@dataclass(frozen=True)
class ModuleCost:
    """What happens inside a module, its children included."""

    parameters: int
    forward: int
    backward: int
    bytes: int
    calls: int


@dataclass(frozen=True)
class OperatorCost:
    """All calls of one operator in a step."""

    calls: int
    flops: int
    bytes: int

    @property
    def intensity(self) -> float:
        """FLOPs per byte moved."""
        return self.flops / self.bytes if self.bytes else 0.0


@dataclass(frozen=True)
class Memory:
    """Bytes of a training step.  ``saved`` is what the forward keeps for the backward, autocast's copies
    of weights (``casts``) included; ``peak`` is the most that is alive at once, inputs included.
    """

    parameters: int
    buffers: int
    inputs: int
    gradients: int
    optimizer: int
    saved: int
    casts: int
    peak: int
    peak_operator: str
    peak_module: str
    peak_phase: str
    peak_parts: Mapping[Category, int]
    first_peak: int
