"""Annotations as data: what a parameter, a result or an attribute promises.

``read`` turns an annotation's syntax into a :class:`Spec` through one function that evaluates an
expression, so aliases, re-exports, ``import ... as`` and a package's own wrappers all resolve the
way any other expression of the program does.  What is not understood is :data:`ANYTHING`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from typedtorch.shapes import dtypes
from typedtorch.shapes.axes import Axes, parse
from typedtorch.shapes.infer.values.values import (
    Value,
)

if TYPE_CHECKING:
    from typedtorch.shapes.infer.classes.classes import ClassInfo


@dataclass(frozen=True, slots=True)
class Anything:
    """No promise that is understood."""


@dataclass(frozen=True, slots=True)
class ArraySpec:
    """``Float[Tensor, "batch d"]``.  ``library``: torch, numpy, jax, or any."""

    axes: Axes
    dtype: int
    library: str = "torch"
    wrapper: str = "Shaped"

    @property
    def shaped(self) -> bool:
        """Whether it says anything about the shape or dtype."""
        return self.axes.text != "..." or self.dtype != dtypes.ANY

    @property
    def any_library(self) -> bool:
        """Whether arrays of several libraries may be given: those of jax are not told apart."""
        return self.library in ("any", "jax")


@dataclass(frozen=True, slots=True)
class NoneSpec:
    """``None``."""


@dataclass(frozen=True, slots=True)
class NumberSpec:
    """A number."""

    kind: str  # "int", "float", "bool", "complex"


@dataclass(frozen=True, slots=True)
class LiteralSpec:
    """``Literal[...]``."""

    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class ObjectSpec:
    """An object of a class outside the program."""

    name: str


@dataclass(frozen=True, slots=True)
class InstanceSpec:
    """An instance of a class of the program."""

    info: ClassInfo | Any
    arguments: tuple[Spec, ...] = ()  # of a generic class: ``Box[Float[Tensor, "n"]]``


@dataclass(frozen=True, slots=True)
class ClassSpec:
    """``type[C]``."""

    info: ClassInfo | Any


@dataclass(frozen=True, slots=True)
class UnionSpec:
    """One of several."""

    options: tuple[Spec, ...]


@dataclass(frozen=True, slots=True)
class TupleSpec:
    """A tuple with one annotation for each item."""

    items: tuple[Spec, ...]


@dataclass(frozen=True, slots=True)
class SequenceSpec:
    """``list[X]``, ``Iterator[X]``, ``tuple[X, ...]``: any number of one thing."""

    kind: str
    element: Spec


@dataclass(frozen=True, slots=True)
class DictSpec:
    """A dict whose values have this annotation."""

    value: Spec


@dataclass(frozen=True, slots=True)
class CallableSpec:
    """``Callable[[...], result]``."""

    parameters: tuple[Spec, ...] | None
    result: Spec


@dataclass(frozen=True, slots=True)
class AwaitableSpec:
    """What gives ``result`` when it is awaited."""

    result: Spec


@dataclass(frozen=True, slots=True)
class VariableSpec:
    """A TypeVar: whatever the argument was; one with a bound says the class alone, and no shape."""

    name: str
    bounded: bool = False


Spec: TypeAlias = (
    Anything | ArraySpec | NoneSpec | NumberSpec | LiteralSpec | ObjectSpec | InstanceSpec | ClassSpec
    | UnionSpec | TupleSpec | SequenceSpec | DictSpec | CallableSpec | AwaitableSpec | VariableSpec
)  # fmt: skip
ANYTHING = Anything()
ANY_TENSOR = ArraySpec(parse("..."), dtypes.ANY)
Evaluate: TypeAlias = Callable[[ast.expr], Value]

# External names that stand for a tensor of any shape.
TENSOR_CLASSES = {
    "torch.Tensor": dtypes.ANY,
    "torch.nn.Parameter": dtypes.ANY,
    "torch.nn.parameter.Parameter": dtypes.ANY,
    "torch.nn.Buffer": dtypes.ANY,
    "torch.FloatTensor": dtypes.FLOAT32,
    "torch.DoubleTensor": dtypes.FLOAT64,
    "torch.HalfTensor": dtypes.FLOAT16,
    "torch.LongTensor": dtypes.INT64,
    "torch.IntTensor": dtypes.BIT["int32"],
    "torch.BoolTensor": dtypes.BOOL,
}


def union(options: list[Spec]) -> Spec:
    """A union, flattened; with something not understood in it, nothing is."""
    flat: list[Spec] = []
    for option in options:
        flat.extend(option.options if isinstance(option, UnionSpec) else [option])
    if any(isinstance(option, (Anything, VariableSpec)) for option in flat):
        return ANYTHING
    unique = list(dict.fromkeys(flat))
    return unique[0] if len(unique) == 1 else UnionSpec(tuple(unique))


_IDENTIFIER = re.compile(r"[^\W\d]\w*")


def axis_names(spec: Spec) -> set[str]:
    """Names of the axes an annotation mentions."""
    match spec:
        case ArraySpec(axes=axes):
            return {n for d in axes.dims if d.kind != "fixed" for n in _IDENTIFIER.findall(d.name)}
        case UnionSpec(options=options) | TupleSpec(items=options):
            return set().union(*map(axis_names, options))
        case SequenceSpec(element=inner) | DictSpec(value=inner) | AwaitableSpec(result=inner):
            return axis_names(inner)
    return set()


def is_of_pairs(spec: Spec) -> bool:
    """Whether an annotation names one axis twice: ``"n n"``."""
    match spec:
        case ArraySpec(axes=axes):
            names = [d.text for d in axes.dims if d.kind == "named" and not d.variadic]
            return len(set(names)) < len(names)
        case UnionSpec(options=options) | TupleSpec(items=options):
            return any(map(is_of_pairs, options))
    return False


def is_int(spec: Spec | None) -> bool:
    """Whether an annotation is ``int``."""
    return isinstance(spec, NumberSpec) and spec.kind == "int"


def is_int_or_none(spec: Spec) -> bool:
    """Whether an annotation is ``int | None``."""
    if not isinstance(spec, UnionSpec):
        return False
    return len(spec.options) == 2 and NoneSpec() in spec.options and any(map(is_int, spec.options))


def shaped(spec: Spec) -> bool:
    """Whether an annotation says anything about the shape of a tensor."""
    match spec:
        case ArraySpec():
            return spec.shaped
        case UnionSpec(options=options) | TupleSpec(items=options):
            return any(shaped(option) for option in options)
        case SequenceSpec(element=inner) | DictSpec(value=inner) | AwaitableSpec(result=inner):
            return shaped(inner)
        case CallableSpec(parameters=parameters, result=result):
            return shaped(result) or any(shaped(p) for p in parameters or ())
    return False


def binding_names(spec: Spec) -> set[str]:
    """The axis names a value of this annotation binds: those that stand alone."""
    match spec:
        case ArraySpec(axes=axes):
            return {d.name for d in axes.dims if d.kind == "named" and not d.variadic}
        case UnionSpec(options=parts) | TupleSpec(items=parts):
            return set().union(*map(binding_names, parts))
        case SequenceSpec(element=inner) | DictSpec(value=inner) | AwaitableSpec(result=inner):
            return binding_names(inner)
    return set()


_OF_A_KIND = (NumberSpec, ObjectSpec, InstanceSpec)


def informative(spec: Spec) -> bool:
    """Whether a result annotation says more than evaluating the body would."""
    match spec:
        case Anything() | VariableSpec():
            return False
        case ArraySpec():
            return spec.shaped
        case UnionSpec(options=options):
            return any(shaped(option) for option in options)
        case TupleSpec(items=items):
            # of numbers and objects it says how many there are, and the body which
            return all(map(informative, items)) and not all(isinstance(i, _OF_A_KIND) for i in items)
        case SequenceSpec(element=inner) | DictSpec(value=inner):
            return informative(inner) and not isinstance(inner, _OF_A_KIND)
        case AwaitableSpec(result=inner):
            return informative(inner) and not isinstance(inner, NumberSpec)
    return True
