"""What one operator call costs: a :class:`Count`, and the way formulas read an operator's arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from typedtorch.accounting.schema import argument_of
from typedtorch.accounting.trace import Op, TensorMeta
from typedtorch.shapes.size import Size


@dataclass(frozen=True, slots=True)
class Count:
    """FLOPs of a call, in kinds that conventions add up differently.

    ``matmul``: two per multiply-add of the layer's equations.  ``recompute``: done again by a kernel
    that did not keep a result (the scores in the backward of fused attention).  ``masked``: the part
    of ``matmul`` that a causal mask makes unnecessary.  ``elementwise``: one per element per
    arithmetic step.
    """

    matmul: Size = 0
    recompute: Size = 0
    masked: Size = 0
    elementwise: Size = 0

    def __add__(self, other: Count) -> Count:
        return Count(
            self.matmul + other.matmul,
            self.recompute + other.recompute,
            self.masked + other.masked,
            self.elementwise + other.elementwise,
        )

    def __mul__(self, times: int) -> Count:
        return Count(
            self.matmul * times, self.recompute * times, self.masked * times, self.elementwise * times
        )


Formula = Callable[[Op], Count]


def argument(op: Op, name: str) -> Any:
    """An argument of a call by the name the operator's schema gives it, defaults included."""
    return argument_of(op.func, op.args, op.kwargs, name)


def tensor(op: Op, name: str) -> TensorMeta:
    """A tensor argument by name."""
    value = argument(op, name)
    if not isinstance(value, TensorMeta):
        raise KeyError(f"{op.name}: {name!r} is not a tensor here")
    return value
