"""Attributes that methods assign anew, each time a tensor of one shape: running statistics, states.

``self.mean = 0.9 * self.mean + 0.1 * x.mean(0)`` may be anything by its form alone.  But if it has the shape
that the constructor gave it when a method begins, and has it wherever the method ends, it always has it.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from typedtorch.shapes.equality import same
from typedtorch.shapes.infer.updates import assigned_later
from typedtorch.shapes.infer.values import Instance, Tensor, Value
from typedtorch.shapes.tensor import Pack

if TYPE_CHECKING:
    from typedtorch.shapes.infer.interpreter import Interpreter


def find(interpreter: Interpreter, made: Instance, lasting: Instance) -> frozenset[str]:
    """The names of such attributes.

    Args:
        made: an object as its constructor leaves it.
        lasting: what is certain of it later.
    """
    tensors = {
        n: v for n, v in made.attributes.items() if isinstance(v, Tensor) and n not in lasting.attributes
    }
    methods = {name: found for name in tensors if (found := assigned_later(made.info, name))}
    kept = {name: tensors[name] for name in methods}
    while kept:
        trial = replace(lasting, attributes={**lasting.attributes, **kept})
        lost: set[str] = set()
        for method in {m for name in kept for m in methods[name]}:
            lost |= _changed(interpreter, trial, method, kept)
        if not lost:
            break
        kept = {name: value for name, value in kept.items() if name not in lost}
    return frozenset(kept)


def _changed(interpreter: Interpreter, trial: Instance, method: str, kept: dict[str, Tensor]) -> set[str]:
    """Those that a method gives another shape, or perhaps does."""
    from typedtorch.shapes.infer.checking import ends  # noqa: PLC0415 - it makes instances, which asks this file

    info = trial.info
    function = info.as_function(method, trial)
    own = [] if function is None else [*function.node.args.posonlyargs, *function.node.args.args]
    if function is None or not own or function.bound is not trial or isinstance(function.node, ast.Lambda):
        return set(kept)
    lost = set()
    for state in ends(interpreter, function, info):
        now = state.variables.get(own[0].arg)
        attributes = now.attributes if isinstance(now, Instance) else {}
        lost |= {name for name, value in kept.items() if not _alike(attributes.get(name), value)}
    return lost


def _alike(now: Value, was: Tensor) -> bool:
    if now is was:
        return True
    if not isinstance(now, Tensor) or len(now.shape) != len(was.shape) or now.dtype & ~was.dtype:
        return False
    return all(
        not isinstance(a, Pack) and not isinstance(b, Pack) and (same(a, b) is True or str(a) == str(b))
        for a, b in zip(now.shape, was.shape, strict=True)
    )


__all__ = ["find"]
