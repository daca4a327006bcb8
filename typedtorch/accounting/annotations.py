"""What a signature says about its inputs: axes, dtypes and how to make them.

A parameter's annotation becomes a :class:`Spec`; a spec names the axes it needs and, given their
sizes, makes an input without memory.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import itertools
import types
import typing
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from typedtorch.accounting.checks import shown
from typedtorch.accounting.errors import AnnotationError, SizeError
from typedtorch.runtime.annotations import is_typed_dict
from typedtorch.shapes import axes as ax
from typedtorch.shapes import slips
from typedtorch.shapes.size import Size

Sizes = Mapping[str, "int | tuple[int, ...]"]


@dataclass(frozen=True)
class TensorSpec:
    """A tensor of named axes; ``dtypes`` are the names its annotation accepts, empty for any."""

    axes: ax.Axes
    dtypes: tuple[str, ...]

    def names(self) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for dim in self.axes.dims:
            if dim.kind == "anonymous" and not dim.variadic:
                raise AnnotationError(f"{self.axes.text!r}: '_' has no size; give the axis a name")
            if dim.kind == "symbolic":
                found.update(dict.fromkeys(sorted(ax.names_of(dim))))
            elif dim.kind == "named":
                found[dim.name] = None
        return tuple(found)

    def shape(self, sizes: Sizes) -> tuple[Any, ...]:
        """The sizes in order; a variadic axis may stand for several."""
        shape: list[Any] = []
        for dim in self.axes.dims:
            shape.extend(_extent(dim, sizes))
        return tuple(shape)

    def dtype(self, default: torch.dtype) -> torch.dtype:
        """The dtype an input gets: the model's own where the annotation accepts it."""
        plain = str(default).removeprefix("torch.")
        if not self.dtypes or plain in self.dtypes:
            return default
        for name in ("float32", "int64", "bool", "uint8", "complex64", *self.dtypes):
            if name in self.dtypes and hasattr(torch, name):
                return typing.cast(torch.dtype, getattr(torch, name))
        raise AnnotationError(f"{self.axes.text!r}: torch has none of the dtypes {', '.join(self.dtypes)}")


@dataclass(frozen=True)
class NumberSpec:
    """A Python integer: the size of the axis of the same name."""

    name: str


@dataclass(frozen=True)
class GroupSpec:
    """A tuple, list, mapping or dataclass of specs, put together by ``make``."""

    items: tuple[Spec, ...]
    make: Callable[[list[Any]], Any]


@dataclass(frozen=True)
class ValueSpec:
    """A value that is known already: a default, an example input."""

    value: Any


Spec = TensorSpec | NumberSpec | GroupSpec | ValueSpec


@dataclass(frozen=True)
class Parameter:
    """One parameter of a signature and how to fill it."""

    name: str
    spec: Spec
    keyword: bool = False
    declared: Spec | None = None  # what the annotation says, also where an example is given


def parts(sizes: Mapping[str, Any]) -> dict[str, Any]:
    """Sizes with an axis of its own for each of several that one name stands for.

    >>> parts({"batch": (4, 2), "rest": (3,), "dim": 8})
    {'batch_0': 4, 'batch_1': 2, 'rest': 3, 'dim': 8}
    """
    found: dict[str, Any] = {}
    for name, size in sizes.items():
        found.update(_parts(name, size) if isinstance(size, tuple) else {name: size})
    return found


def _parts(name: str, sizes: tuple[Any, ...]) -> dict[str, Any]:
    return {name: sizes[0]} if len(sizes) == 1 else {f"{name}_{i}": size for i, size in enumerate(sizes)}


def _together(name: str, sizes: Sizes) -> Any:
    """The sizes of all axes a name stands for, wherever they have axes of their own."""
    if name in sizes:
        return sizes[name]
    names = itertools.takewhile(sizes.__contains__, (f"{name}_{i}" for i in itertools.count()))
    return tuple(sizes[each] for each in names)


def _extent(dim: ax.Dim, sizes: Sizes) -> tuple[Any, ...]:
    if dim.variadic:
        found = _together(dim.name, sizes) if dim.kind == "named" else ()
        return found if isinstance(found, tuple) else (found,)
    if dim.kind == "fixed":
        return (dim.size,)
    if dim.kind == "named":
        return (_single(dim.name, sizes),)

    def look(name: str) -> Size | None:
        value: Size = _single(name, sizes)
        return value

    size = ax.evaluate(dim, look, look)
    if size is None:
        raise AnnotationError(slips.problem(dim) or f"{dim.text!r} cannot be evaluated")
    return (size,)


def _single(name: str, sizes: Sizes) -> Any:
    if name not in sizes:
        raise SizeError(f"axis {name!r} has no size: pass {name}=...")
    size = sizes[name]
    if isinstance(size, tuple):
        raise SizeError(f"axis {name!r} is one axis here and {len(size)} axes elsewhere: {size}")
    return size


def names(spec: Spec) -> Iterator[str]:
    """Axis names a spec needs, in order, with repeats."""
    if isinstance(spec, TensorSpec):
        yield from spec.names()
    elif isinstance(spec, NumberSpec):
        yield spec.name
    elif isinstance(spec, GroupSpec):
        for item in spec.items:
            yield from names(item)


def variadic_names(spec: Spec) -> Iterator[str]:
    """Names that stand for several axes: without a size they stand for none."""
    if isinstance(spec, TensorSpec):
        yield from (d.name for d in spec.axes.dims if d.variadic and d.kind == "named")
    elif isinstance(spec, GroupSpec):
        for item in spec.items:
            yield from variadic_names(item)


def make(spec: Spec, sizes: Sizes, default: torch.dtype, device: torch.device) -> Any:
    """An input for a spec; call it under a mode that allocates nothing."""
    if isinstance(spec, TensorSpec):
        return torch.empty(spec.shape(sizes), dtype=spec.dtype(default), device=device)
    if isinstance(spec, NumberSpec):
        return _single(spec.name, sizes)
    if isinstance(spec, GroupSpec):
        return spec.make([make(item, sizes, default, device) for item in spec.items])
    return spec.value


def parameters(function: Callable[..., Any], examples: tuple[Any, ...] = ()) -> list[Parameter]:
    """How to fill each parameter of a function.

    Raises:
        AnnotationError: a parameter has neither an annotation with axes, nor a default, nor an example.
    """
    found: list[Parameter] = []
    try:
        signature = list(inspect.signature(function).parameters.values())
    except ValueError:  # a builtin says nothing of its parameters
        if not examples:
            raise AnnotationError(f"{_name(function)} has no signature; pass example inputs") from None
        return [Parameter(f"input{i}", ValueSpec(e)) for i, e in enumerate(examples)]
    hints = type_hints(function)
    if len(examples) > len(signature) and not any(p.kind is p.VAR_POSITIONAL for p in signature):
        raise AnnotationError(
            f"{_name(function)} takes {len(signature)} inputs, {len(examples)} examples were given"
        )
    for position, parameter in enumerate(signature):
        if parameter.kind is parameter.VAR_POSITIONAL:
            found.extend(Parameter(parameter.name, ValueSpec(e)) for e in examples[position:])
            break
        if parameter.kind is parameter.VAR_KEYWORD:
            continue
        keyword = parameter.kind is parameter.KEYWORD_ONLY
        if position < len(examples) and not keyword:
            declared = spec_of(hints.get(parameter.name), parameter.name)
            _refuse_example(parameter.name, examples[position], declared)
            found.append(Parameter(parameter.name, ValueSpec(examples[position]), declared=declared))
            continue
        spec = spec_of(hints.get(parameter.name), parameter.name)
        optional = parameter.default is not parameter.empty
        if optional and not isinstance(spec, NumberSpec):
            found.append(Parameter(parameter.name, ValueSpec(parameter.default), keyword))
        elif spec is None:
            raise AnnotationError(f"{_name(function)}: {_unclear(parameter.name, hints.get(parameter.name))}")
        elif optional:
            found.append(Parameter(parameter.name, ValueSpec(parameter.default), keyword))
        else:
            found.append(Parameter(parameter.name, spec, keyword))
    return found


def _unclear(name: str, hint: Any) -> str:
    """What an annotation does not say, and what to do."""
    if any(spec_of(part, name) is not None for part in typing.get_args(hint)):
        return f"parameter {name!r} does not say how many it holds, or of what; pass example inputs"
    return (
        f"parameter {name!r} does not say its axes; annotate it, for "
        f'example {name}: Float[Tensor, "batch d_model"], or pass example inputs'
    )


def _refuse_example(name: str, example: Any, declared: Spec | None) -> None:
    """What is given for a tensor must not be a number, a text or the sizes.

    Raises:
        AnnotationError: it is.
    """
    if isinstance(declared, TensorSpec) and isinstance(example, (int, float, str, Mapping)):
        sizes = "; pass sizes as sizes={...}" if isinstance(example, Mapping) else ""
        raise AnnotationError(
            f"the example for {name!r} is {shown(example)}; wanted a tensor of the axes "
            f"{declared.axes.text!r}{sizes}"
        )


def type_hints(function: Callable[..., Any]) -> dict[str, Any]:
    """Annotations, evaluated where that is possible."""
    target = _annotated(function)
    closure = inspect.getclosurevars(target).nonlocals if inspect.isfunction(target) else {}
    try:
        return typing.get_type_hints(target, localns=dict(closure), include_extras=True)
    except (NameError, TypeError, AttributeError):
        given = getattr(target, "__annotations__", {})
        return {name: value for name, value in given.items() if not isinstance(value, str)}


def _annotated(function: Callable[..., Any]) -> Callable[..., Any]:
    """What has the annotations: the function in a partial one, the ``__call__`` of an object."""
    plain = inspect.unwrap(function)
    if isinstance(plain, functools.partial):
        return plain if isinstance(plain.func, type) else _annotated(plain.func)
    target: Callable[..., Any] = getattr(plain, "__func__", plain)
    if isinstance(target, type) or inspect.isroutine(target):
        return target
    call: Callable[..., Any] = inspect.unwrap(type(target).__call__)
    return call


def spec_of(hint: Any, name: str) -> Spec | None:
    """The spec an annotation describes, or None where it says nothing about axes."""
    if hint is int:
        return NumberSpec(name)
    if isinstance(hint, type) and hasattr(hint, "dim_str") and hasattr(hint, "dtypes"):
        return _tensor_spec(hint, name)
    if is_typed_dict(hint):
        hints = typing.get_type_hints(hint, include_extras=True)
        left_out = [k for k, h in hints.items() if typing.get_origin(h) is typing.NotRequired]
        return _record_spec(hint, list(hints), [*left_out, *hint.__optional_keys__])
    named_tuple = isinstance(hint, type) and issubclass(hint, tuple) and hasattr(hint, "_fields")
    if named_tuple or (isinstance(hint, type) and dataclasses.is_dataclass(hint)):
        fields = inspect.signature(hint).parameters
        return _record_spec(hint, list(fields), [n for n, f in fields.items() if f.default is not f.empty])
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Annotated, typing.Required):
        return spec_of(arguments[0], name)
    if origin in (typing.Union, types.UnionType):
        return next((s for a in arguments if (s := spec_of(a, name)) is not None), None)
    if origin is tuple and Ellipsis not in arguments:
        return _group([spec_of(a, name) for a in arguments], tuple)
    return None


def _group(items: list[Spec | None], make_group: Callable[[list[Any]], Any]) -> Spec | None:
    known = [item for item in items if item is not None]
    return GroupSpec(tuple(known), make_group) if len(known) == len(items) else None


def _record_spec(cls: type, fields: list[str], defaults: Collection[str]) -> Spec | None:
    """A record of the fields whose annotations have axes; the others keep their defaults, or are left out."""
    hints = typing.get_type_hints(cls, include_extras=True)
    specs = {name: spec_of(hints.get(name), name) for name in fields}
    made = [n for n, s in specs.items() if n not in defaults or isinstance(s, TensorSpec | GroupSpec)]
    return _group([specs[n] for n in made], lambda values: cls(**dict(zip(made, values, strict=True))))


def _tensor_spec(hint: Any, name: str) -> TensorSpec:
    array = getattr(hint, "array_type", Tensor)
    if not (isinstance(array, type) and issubclass(array, Tensor)) and array is not Any:
        raise AnnotationError(f"{name!r} is annotated as {array}, not as a torch.Tensor")
    dtypes = hint.dtypes
    known = tuple(d for d in dtypes if isinstance(d, str)) if isinstance(dtypes, (list, tuple)) else ()
    return TensorSpec(ax.parse(hint.dim_str), known)


def _name(function: Any) -> str:
    return str(getattr(function, "__qualname__", None) or type(function).__name__)
