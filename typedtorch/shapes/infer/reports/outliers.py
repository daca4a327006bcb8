"""Which of several arguments is the wrong one: the first to name an axis, where all the others agree."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from typedtorch.shapes.infer.annotations import specs
from typedtorch.shapes.infer.annotations.assuming import Names
from typedtorch.shapes.infer.annotations.problems import Problem
from typedtorch.shapes.infer.annotations.unify import match
from typedtorch.shapes.infer.frame import source
from typedtorch.shapes.infer.values.values import Tensor, Value
from typedtorch.shapes.size import Size
from typedtorch.shapes.tensor import show

if TYPE_CHECKING:
    from typedtorch.shapes.infer.calls.binding import Parameter


@dataclass(slots=True)
class Beside:
    """The arguments of one call, with what names mean before any of them; and which was found to be wrong."""

    parameters: Sequence[Parameter]
    bound: Mapping[str, tuple[Value, ast.expr | None]]
    names: Names
    wrong: Parameter | None = None

    def outlier(self, problem: Problem) -> tuple[Parameter, ast.expr, Problem, Names] | None:
        """The argument that gave a name its size, where two others have another and all else fits.

        With what is wrong with it, and what names mean to the others.
        """
        dim = problem.dim
        if problem.kind != "size" or dim is None or dim.kind != "named" or problem.binder is None:
            return None
        given = [(p, p.spec, *self.bound[p.name]) for p in self.parameters if p.name in self.bound]
        arrays = [
            (p, spec, value, where)
            for p, spec, value, where in given
            if isinstance(spec, specs.ArraySpec) and isinstance(value, Tensor)
        ]
        first = next((a for a in arrays if dim.name in specs.axis_names(a[1])), None)
        if first is None or first[3] is None or source(first[3], 40) != problem.binder:
            return None
        trial = self.names.copy()
        others = [a for a in arrays if a[0] is not first[0]]
        if any(match(spec, value, trial, binder=_binder(where)) for _, spec, value, where in others):
            return None
        agreed = trial.sizes.get(dim.name)
        witnesses = [
            _binder(where) for _, spec, value, where in others if _has(spec, value, dim.name, agreed)
        ]
        if len(witnesses) < 2:  # the two axes of a square are one witness
            return None
        problems = match(first[1], first[2], trial.copy())
        named = [p for p in problems if p.dim is not None and p.dim.name == dim.name]
        who = " and ".join(witnesses)
        return (first[0], first[3], replace(named[0], binder=who), trial) if named else None

    def told(self, problem: Problem) -> Problem:
        """The other argument as it is, where ``b is t for logits, got b`` would mix both sides' names."""
        dim = problem.dim
        if problem.kind != "size" or problem.text or dim is None or str(problem.got) != dim.name:
            return problem
        for parameter in self.parameters:
            value, where = self.bound.get(parameter.name, (None, None))
            spec = parameter.spec
            if where is None or _binder(where) != problem.binder or dim.name not in specs.axis_names(spec):
                continue
            if isinstance(value, Tensor) and isinstance(spec, specs.ArraySpec):
                text = f"{problem.binder} is {show(value.shape)}, annotated {spec.axes.text!r}"
                return replace(problem, text=text)
        return problem


def _binder(where: ast.expr | None) -> str:
    return "" if where is None else source(where, 40)


def _has(spec: specs.ArraySpec, tensor: Tensor, name: str, size: Size | None) -> bool:
    """Whether a tensor certainly has a size where its annotation has a name."""
    dims = spec.axes.dims
    if spec.axes.variadic is not None or len(dims) != len(tensor.shape):
        return False
    return any(
        d.kind == "named" and d.name == name and e == size for d, e in zip(dims, tensor.shape, strict=True)
    )


__all__ = ["Beside"]
