"""Arguments for a call, made from the annotations of what is called.

Axes get random sizes, one for each name; an integer has the size of the axis of its name.  Objects of the
package's own dataclasses, named tuples and typed dictionaries are made from the annotations of their fields.
"""

from __future__ import annotations

import ast
import collections.abc
import inspect
import random
import sys
import types
import typing
from dataclasses import is_dataclass
from typing import Any

import numpy as np
import torch

from typedtorch.shapes.axes import Dim, parse

Space = dict[str, Any]
SIZES = (2, 3, 4, 5, 6, 7)
DEPTH = 3
MANY = 4096


class Cannot(Exception):
    """An argument cannot be made, or a definition cannot be executed."""


class Sizes:
    """One size for each axis name, drawn when it is first met; ``shared``: it may be one that is known."""

    def __init__(self, rng: random.Random, known: dict[str, int], *, shared: bool) -> None:
        self.rng, self.known, self.shared = rng, known, shared
        self.arrays = 0

    def __getitem__(self, name: str) -> int:
        if name not in self.known:
            used = [s for s in self.known.values() if s <= MANY]
            free = [s for s in SIZES if s not in used] or list(SIZES)
            from_known = self.shared and used and self.rng.random() < 0.5
            self.known[name] = self.rng.choice(used if from_known else free)
        return self.known[name]

    def default(self, name: str, value: int) -> None:
        """An integer that is left at what it is: axes of its name have that size."""
        if 1 < value <= MANY:
            self.known.setdefault(name, value)

    def of(self, dim: Dim) -> list[int]:
        if dim.variadic:
            if dim.kind == "anonymous":
                return [self.rng.choice(SIZES)]
            return [self[f"*{dim.name}"]]
        if dim.kind == "fixed":
            return [dim.size or 0]
        if dim.kind == "anonymous":
            return [self.rng.choice(SIZES)]
        if dim.kind == "named":
            return [self[dim.name]]
        if "{" in dim.name:
            raise Cannot(dim.name)
        names = {n.id for n in ast.walk(ast.parse(dim.name, mode="eval")) if isinstance(n, ast.Name)}
        return [int(eval(dim.name, {n: self[n] for n in sorted(names)}))]


def make(annotation: Any, name: str, sizes: Sizes, depth: int = 0) -> Any:
    """A value that fits an annotation."""
    if hasattr(annotation, "dim_str") and hasattr(annotation, "dtypes"):
        return _array(annotation, sizes)
    if annotation is int:
        return sizes[name]
    if annotation is bool:
        return sizes.rng.random() < 0.5
    if annotation in _CONSTANTS:
        return _CONSTANTS[annotation]
    origin, given = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return _option(given, name, sizes, depth)
    if origin in (list, collections.abc.Sequence) and given:
        return [make(given[0], name, sizes, depth) for _ in range(2)]
    if origin in (dict, collections.abc.Mapping) and given[:1] == (str,):
        return {key: make(given[1], name, sizes, depth) for key in ("a", "b")}
    if origin is tuple and given:
        items = given[:1] * 2 if given[-1] is Ellipsis else given
        return tuple(make(item, name, sizes, depth) for item in items)
    if origin is typing.Literal:
        return given[0]
    if origin is typing.Annotated:
        return make(given[0], name, sizes, depth)
    if inspect.isclass(annotation) and annotation.__module__.startswith("mutated."):
        return _object(annotation, name, sizes, depth)
    raise Cannot(name)


_CONSTANTS = {float: 0.5, torch.device: torch.device("cpu"), torch.dtype: torch.float32}


def _option(options: tuple[Any, ...], name: str, sizes: Sizes, depth: int) -> Any:
    for option in options:
        if option is not type(None):
            try:
                return make(option, name, sizes, depth)
            except Cannot:
                continue
    raise Cannot(name)


def _object(cls: type, name: str, sizes: Sizes, depth: int) -> Any:
    """An object of one of the package's own classes that only hold values."""
    space = vars(sys.modules[cls.__module__])
    if depth == DEPTH or space.get(cls.__name__) is not cls:
        raise Cannot(name)
    if typing.is_typeddict(cls):
        fields = typing.get_type_hints(cls, space)
        return {key: make(field, key, sizes, depth + 1) for key, field in fields.items()}
    if not (is_dataclass(cls) or hasattr(cls, "_fields")):
        raise Cannot(name)
    return cls(**arguments(cls, space, sizes, depth=depth + 1))


def _array(annotation: Any, sizes: Sizes) -> Any:
    sizes.arrays += 1
    shape = [s for dim in parse(annotation.dim_str).dims for s in sizes.of(dim)]
    wanted = (
        [str(d) for d in annotation.dtypes]
        if isinstance(annotation.dtypes, list | tuple | set)
        else ["float32"]
    )
    for dtype in ("float32", "int64", "bool", "int32", "uint8", "float64", "complex64"):
        if dtype in wanted:
            break
    else:
        dtype = "float32"
    if dtype == "bool":
        made = torch.rand(shape) < 0.5
    elif dtype in ("int64", "int32", "uint8"):
        made = torch.randint(0, 2, shape).to(getattr(torch, dtype))
    else:
        made = torch.rand(shape).to(getattr(torch, dtype))
    return made.numpy() if getattr(annotation, "array_type", None) is np.ndarray else made


def arguments(
    called: Any, space: Space, sizes: Sizes, *, bound: bool = False, depth: int = 0
) -> dict[str, Any]:
    """What to call something with; ``bound``: it is a method, whose first parameter is the object."""
    made = {}
    parameters = list(inspect.signature(called).parameters.items())
    for name, parameter in parameters[bound:]:
        annotation = parameter.annotation
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if annotation is parameter.empty:
            annotation = vars(called).get("__annotations__", {}).get(name, annotation)
        if isinstance(annotation, str | typing.ForwardRef):
            annotation = getattr(annotation, "__forward_arg__", annotation)
            try:
                annotation = eval(annotation, space)
            except Exception as error:
                raise Cannot(name) from error
        if parameter.default is not parameter.empty and not _wanted(annotation, sizes):
            if type(parameter.default) is int:
                sizes.default(name, parameter.default)
            continue
        made[name] = make(annotation, name, sizes, depth)
    return made


def _wanted(annotation: Any, sizes: Sizes) -> bool:
    """Whether an argument that may be left out is given: an array always, an optional one sometimes."""
    options = typing.get_args(annotation)
    return hasattr(annotation, "dim_str") or (
        any(hasattr(option, "dim_str") for option in options) and sizes.rng.random() < 0.5
    )
