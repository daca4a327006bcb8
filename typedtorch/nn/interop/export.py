"""``torch.export`` with the dimensions an annotation leaves open left open in the exported program."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Mapping
from typing import Any

import torch
from jaxtyping import Shaped
from torch import Tensor, nn

from typedtorch.runtime.hints import innermost
from typedtorch.shapes import axes

Range = tuple[int, int | None]


class ExportError(ValueError):
    """An annotation does not say enough to export by, or a dimension it leaves open is fixed by the code."""


def export(
    module: nn.Module,
    /,
    *examples: Any,
    sizes: Mapping[str, int] | None = None,
    ranges: Mapping[str, Range] | None = None,
    strict: bool = False,
) -> torch.export.ExportedProgram:
    """Export a module; what its ``forward`` calls ``batch`` and ``seq`` stays open, and stays one axis.

    An axis is fixed where the annotation gives a number or the module (or its ``config``) has an ``int``
    attribute of that name; every other one is dynamic, from 1 to ``max_<axis>`` where the module has that.
    The same name is the same size wherever it stands, and an expression such as ``2*seq`` follows it.

    Args:
        module: exported in the mode (training or evaluation) it is in.
        examples: inputs to trace with; made from the annotations unless given.
        sizes: of axes in the examples that are made, where the module does not say.
        ranges: least and largest size (None: no limit) of an axis, instead of the above.
        strict: as in ``torch.export.export``.

    Raises:
        ExportError: a parameter without annotation and example, an axis that is fixed by the code, or a name
            that is none of the dynamic axes.

    >>> from typedtorch.nn import Linear
    >>> program = export(Linear(4, 3))
    >>> program.module()(torch.ones(7, 4)).shape
    torch.Size([7, 3])
    """
    names = _Names(module, dict(sizes or {}), dict(ranges or {}))
    values = _inputs(module, examples, names)
    dynamic = tuple(shape for _, shape in values)
    names.check()
    try:
        return torch.export.export(
            module, tuple(value for value, _ in values), dynamic_shapes=dynamic, strict=strict
        )
    except (torch._dynamo.exc.UserError, AssertionError) as error:
        raise ExportError(
            f"{names.where}: an axis its annotations leave open is fixed by the code\n{error}"
        ) from error


class _Names:
    """What each axis name means: a number of the module's, or a dimension of the program."""

    def __init__(self, module: nn.Module, sizes: dict[str, int], ranges: dict[str, Range]) -> None:
        self.holders = [module, *([module.config] if hasattr(module, "config") else [])]
        self.where = f"{type(module).__name__}.forward"
        self.sizes, self.ranges, self.dims = sizes, ranges, dict[str, Any]()
        self._asked = [*sizes, *ranges]
        self.device, self.dtype = _place_of(next(module.parameters(), None))

    def fixed(self, name: str) -> int | None:
        """The module's own size of an axis."""
        values = [getattr(holder, name, None) for holder in self.holders]
        return next((v for v in values if isinstance(v, int) and not isinstance(v, bool)), None)

    def range(self, name: str) -> Range:
        """The sizes an axis may have."""
        return self.ranges.get(name, (1, self.fixed(f"max_{name}")))

    def example(self, name: str) -> int:
        """A size to trace with: neither 0 nor 1, which are special, and another one for each axis."""
        fixed = self.fixed(name)
        if fixed is not None:
            return fixed
        if name not in self.sizes:
            least, most = self.range(name)
            first = max(2, least)
            free = next(n for n in range(first, first + len(self.sizes) + 1) if n not in self.sizes.values())
            self.sizes[name] = free if most is None else min(free, most)
        return self.sizes[name]

    def dim(self, name: str) -> Any:
        """What ``torch.export`` is told about an axis."""
        if self.fixed(name) is not None:
            return torch.export.Dim.STATIC
        if name not in self.dims:
            least, most = self.range(name)
            self.dims[name] = torch.export.Dim(name, min=least, max=most)
        return self.dims[name]

    def check(self) -> None:
        """Refuse sizes and ranges of axes that are not there to be chosen."""
        for name in self._asked:
            if name not in self.dims:
                known = ", ".join(self.dims) or "none"
                raise ExportError(f"{self.where}: {name!r} is no dynamic axis; there are {known}")


def _inputs(module: nn.Module, examples: tuple[Any, ...], names: _Names) -> list[tuple[Any, Any]]:
    """Each argument, and what of it is open."""
    forward = innermost(type(module).forward)
    hints = typing.get_type_hints(forward, include_extras=True)
    parameters = list(inspect.signature(forward).parameters.values())[1:]
    found = []
    for i, parameter in enumerate(parameters):
        hint = hints.get(parameter.name)
        if i < len(examples):
            value = examples[i]
        elif parameter.default is not inspect.Parameter.empty:
            break
        elif _is_array(hint):
            value = _example(hint, names)
        else:
            raise ExportError(
                f"{names.where}: parameter {parameter.name!r} does not say its axes; "
                "annotate it, or pass an example"
            )
        found.append((value, _open(hint, value, names, parameter.name)))
    return found


def _is_array(hint: Any) -> bool:
    return isinstance(hint, type) and hasattr(hint, "dim_str") and hasattr(hint, "dtypes")


def _example(hint: Any, names: _Names) -> Shaped[Tensor, "*axes"]:
    shape = [_number(dim, names) for dim in axes.parse(hint.dim_str).dims]
    kinds = [str(kind) for kind in hint.dtypes] if isinstance(hint.dtypes, list | tuple) else []
    if not kinds or any("float" in kind for kind in kinds):
        return torch.zeros(shape, dtype=names.dtype, device=names.device)
    dtype = torch.bool if all("bool" in kind for kind in kinds) else torch.int64
    return torch.zeros(shape, dtype=dtype, device=names.device)


def _number(dim: axes.Dim, names: _Names) -> int:
    if dim.size is not None:
        return dim.size
    if dim.kind == "symbolic":
        found = axes.evaluate(dim, names.example, lambda text: None)
        if not isinstance(found, int):
            raise ExportError(f"{names.where}: the size of {dim.text!r} is not known; pass an example")
        return found
    return names.example(dim.name or dim.text)


def _place_of(param: Shaped[Tensor, "*shape"] | None) -> tuple[torch.device, torch.dtype]:
    """Where and in which dtype examples are made: as the first parameter, where there is one."""
    if param is None:
        return torch.device("cpu"), torch.get_default_dtype()
    return param.device, param.dtype if param.is_floating_point() else torch.get_default_dtype()


def _open(hint: Any, value: Any, names: _Names, parameter: str) -> Any:
    """Each dimension of an argument by its place: open, one that follows from others, or fixed."""
    if not isinstance(value, Tensor) or not _is_array(hint):
        return None
    dims = list(axes.parse(hint.dim_str).dims)
    variadic = next((i for i, dim in enumerate(dims) if dim.variadic), None)
    if variadic is not None:
        dims[variadic : variadic + 1] = [dims[variadic]] * (value.dim() - len(dims) + 1)
    if len(dims) != value.dim():
        shape = tuple(value.shape)
        raise ExportError(f"{names.where}: {parameter} is {hint.dim_str!r}, got an example of shape {shape}")
    return {place: _kind(dim, names) for place, dim in enumerate(dims)}


def _kind(dim: axes.Dim, names: _Names) -> Any:
    if dim.size is not None:
        return torch.export.Dim.STATIC
    if dim.kind == "named" and not (dim.variadic or dim.broadcastable):
        return names.dim(dim.name)
    if dim.kind == "symbolic" and all(names.fixed(name) is not None for name in axes.names_of(dim)):
        return torch.export.Dim.STATIC
    return torch.export.Dim.AUTO  # no name of its own: torch finds out what it follows
