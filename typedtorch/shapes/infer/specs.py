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
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from typedtorch.shapes import dtypes
from typedtorch.shapes.axes import Axes, AxesError, parse, symbolic_problem
from typedtorch.shapes.infer.values import (
    ClassV,
    External,
    SpecV,
    Value,
)

if TYPE_CHECKING:
    from typedtorch.shapes.infer.classes import ClassInfo


@dataclass(frozen=True, slots=True)
class Anything:
    """No promise that is understood."""


@dataclass(frozen=True, slots=True)
class ArraySpec:
    """``Float[Tensor, "batch d"]``.  ``library``: torch, numpy, or any."""

    axes: Axes
    dtype: int
    library: str = "torch"
    wrapper: str = "Shaped"

    @property
    def shaped(self) -> bool:
        """Whether it says anything about the shape or dtype."""
        return self.axes.text != "..." or self.dtype != dtypes.ANY


@dataclass(frozen=True, slots=True)
class NoneSpec:
    pass


@dataclass(frozen=True, slots=True)
class NumberSpec:
    kind: str  # "int", "float", "bool", "complex"


@dataclass(frozen=True, slots=True)
class LiteralSpec:
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class ObjectSpec:
    """An object of a class outside the program."""

    name: str


@dataclass(frozen=True, slots=True)
class InstanceSpec:
    info: ClassInfo
    arguments: tuple[Spec, ...] = ()  # of a generic class: ``Box[Float[Tensor, "n"]]``


@dataclass(frozen=True, slots=True)
class ClassSpec:
    """``type[C]``."""

    info: ClassInfo


@dataclass(frozen=True, slots=True)
class UnionSpec:
    options: tuple[Spec, ...]


@dataclass(frozen=True, slots=True)
class TupleSpec:
    items: tuple[Spec, ...]


@dataclass(frozen=True, slots=True)
class SequenceSpec:
    """``list[X]``, ``Iterator[X]``, ``tuple[X, ...]``: any number of one thing."""

    kind: str
    element: Spec


@dataclass(frozen=True, slots=True)
class DictSpec:
    value: Spec


@dataclass(frozen=True, slots=True)
class CallableSpec:
    parameters: tuple[Spec, ...] | None
    result: Spec


@dataclass(frozen=True, slots=True)
class AwaitableSpec:
    result: Spec


@dataclass(frozen=True, slots=True)
class VariableSpec:
    """A TypeVar: whatever the argument was."""

    name: str


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
_NUMBERS = {"int", "float", "bool", "complex"}
_LISTS = {
    "list": "list", "List": "list", "Sequence": "list", "MutableSequence": "list", "Collection": "list",
    "set": "set", "Set": "set", "frozenset": "set", "FrozenSet": "set", "AbstractSet": "set",
    "deque": "list", "Deque": "list", "Iterable": "iterator", "Iterator": "iterator", "Reversible": "list",
    "Generator": "iterator", "AsyncIterator": "iterator", "AsyncIterable": "iterator",
    "AsyncGenerator": "iterator", "ModuleList": "modules", "Sequential": "sequential",
    "DataLoader": "iterator",
    "ContextManager": "context", "AbstractContextManager": "context",
}  # fmt: skip
_DICTS = {
    "dict",
    "Dict",
    "Mapping",
    "MutableMapping",
    "OrderedDict",
    "defaultdict",
    "DefaultDict",
    "ModuleDict",
}
_TRANSPARENT = {"Annotated", "Final", "ClassVar", "Required", "NotRequired", "ReadOnly", "InitVar", "Unpack"}
_TYPING = ("typing.", "typing_extensions.", "collections.abc.", "collections.", "builtins.", "torch.nn.",
           "torch.utils.data.", "contextlib.", "dataclasses.", "torch.nn.modules.container.")  # fmt: skip


def typing_name(value: Value) -> str | None:
    """``Optional`` for ``typing.Optional``: the bare name of a typing construct."""
    if isinstance(value, External):
        for prefix in _TYPING:
            if value.name.startswith(prefix):
                return value.name.removeprefix(prefix)
    return None


@lru_cache(maxsize=4096)
def parse_annotation(text: str) -> ast.expr | None:
    """A quoted annotation as syntax."""
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return None


def read(node: ast.expr | None, evaluate: Evaluate) -> Spec:
    """The promise an annotation makes."""
    match node:
        case None:
            return ANYTHING
        case ast.Constant(value=None):
            return NoneSpec()
        case ast.Constant(value=str(text)):
            inner = parse_annotation(text)
            return ANYTHING if inner is None else read(inner, evaluate)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return union([read(left, evaluate), read(right, evaluate)])
        case ast.Subscript(value=base, slice=index):
            return _read_subscript(node, base, index, evaluate)
        case ast.Starred(value=inner):
            return read(inner, evaluate)
    return to_spec(evaluate(node))


def union(options: list[Spec]) -> Spec:
    """A union, flattened; with something not understood in it, nothing is."""
    flat: list[Spec] = []
    for option in options:
        flat.extend(option.options if isinstance(option, UnionSpec) else [option])
    if any(isinstance(option, (Anything, VariableSpec)) for option in flat):
        return ANYTHING
    unique = list(dict.fromkeys(flat))
    return unique[0] if len(unique) == 1 else UnionSpec(tuple(unique))


def _read_subscript(node: ast.expr, base: ast.expr, index: ast.expr, evaluate: Evaluate) -> Spec:
    generic = evaluate(base)
    name = typing_name(generic)
    arguments = index.elts if isinstance(index, ast.Tuple) else [index]
    if isinstance(generic, ClassV) and generic.info.type_parameters():
        return InstanceSpec(generic.info, tuple(read(a, evaluate) for a in arguments))
    if name is None:
        return to_spec(evaluate(node))
    if name == "Optional":
        return union([read(arguments[0], evaluate), NoneSpec()])
    if name == "Union":
        return union([read(a, evaluate) for a in arguments])
    if name in _TRANSPARENT:
        return read(arguments[0], evaluate)
    if name == "Literal":
        return LiteralSpec(tuple(a.value for a in arguments if isinstance(a, ast.Constant)))
    if name in ("tuple", "Tuple"):
        return _read_tuple(arguments, evaluate)
    if name in _LISTS:
        return SequenceSpec(_LISTS[name], read(arguments[0], evaluate))
    if name in _DICTS:
        return DictSpec(read(arguments[-1], evaluate)) if len(arguments) > 1 else ANYTHING
    if name == "Callable":
        return _read_callable(arguments, evaluate)
    if name in ("Awaitable", "Coroutine"):
        return AwaitableSpec(read(arguments[-1], evaluate))
    if name in ("type", "Type"):
        inner = read(arguments[0], evaluate)
        return ClassSpec(inner.info) if isinstance(inner, InstanceSpec) else ANYTHING
    return ANYTHING


def _read_tuple(arguments: list[ast.expr], evaluate: Evaluate) -> Spec:
    if len(arguments) == 2 and isinstance(arguments[1], ast.Constant) and arguments[1].value is Ellipsis:
        return SequenceSpec("tuple", read(arguments[0], evaluate))
    if len(arguments) == 1 and isinstance(arguments[0], ast.Tuple):
        return TupleSpec(())
    if any(isinstance(a, ast.Starred) for a in arguments):
        return ANYTHING
    if len(arguments) == 1:
        # tuple[X] says one item, and is often written where tuple[X, ...] is meant
        return SequenceSpec("tuple", read(arguments[0], evaluate))
    return TupleSpec(tuple(read(a, evaluate) for a in arguments))


def _read_callable(arguments: list[ast.expr], evaluate: Evaluate) -> Spec:
    parameters = None
    if arguments and isinstance(arguments[0], ast.List):
        parameters = tuple(read(a, evaluate) for a in arguments[0].elts)
    return CallableSpec(parameters, read(arguments[-1], evaluate))


def to_spec(value: Value) -> Spec:
    """A value used as an annotation."""
    if value is None:
        return NoneSpec()
    if isinstance(value, str):
        # A string that is evaluated as a value here is a forward reference inside an alias.
        return ANYTHING
    if isinstance(value, SpecV):
        return value.spec
    if isinstance(value, ClassV):
        return InstanceSpec(value.info)
    if isinstance(value, External):
        return _external_spec(value)
    return ANYTHING


def _external_spec(value: External) -> Spec:
    if value.name in TENSOR_CLASSES:
        # torch.FloatTensor and its like are written for a tensor of any dtype and device
        return ANY_TENSOR
    if value.name == "numpy.ndarray":
        return ArraySpec(parse("..."), dtypes.ANY, "numpy")
    name = typing_name(value)
    if name in _NUMBERS:
        return NumberSpec(name)
    if name in _LISTS:
        return SequenceSpec(_LISTS[name], ANYTHING)
    if name in _DICTS:
        return DictSpec(ANYTHING)
    if name == "Callable":
        return CallableSpec(None, ANYTHING)
    if value.name in ("jaxtyping.Scalar", "jaxtyping.ScalarLike"):
        return ANYTHING
    if name in ("str", "bytes"):
        return ObjectSpec(name)
    if name is not None and not value.name.startswith("torch."):
        return ANYTHING
    return ObjectSpec(value.name)


# -- jaxtyping's wrappers ---------------------------------------------------------------------


def wrapper_mask(value: Value) -> int | None:
    """The dtypes a wrapper accepts, if ``value`` is one of jaxtyping's."""
    if isinstance(value, External) and value.name.startswith("jaxtyping."):
        name = value.name.rpartition(".")[2]
        if name in dtypes.WRAPPERS:
            return dtypes.of_wrapper(name)
    return None


def array_spec(wrapper: str, mask: int, array: Value, text: Value) -> Spec:
    """``wrapper[array, text]``; anything malformed promises nothing (see ``problem``)."""
    try:
        axes = parse(text) if isinstance(text, str) else parse("...")
    except AxesError:
        return ANYTHING
    inner = to_spec(array)
    if isinstance(inner, ArraySpec) and not inner.dtype & mask:
        return ANYTHING
    return _array_spec(wrapper, mask, to_spec(array), axes, array)


def _array_spec(wrapper: str, mask: int, inner: Spec, axes: Axes, array: Value) -> Spec:
    if isinstance(inner, UnionSpec):
        return union([_array_spec(wrapper, mask, option, axes, array) for option in inner.options])
    if isinstance(inner, ArraySpec):
        if inner.axes.text == "..." and inner.wrapper == "Shaped":
            return ArraySpec(axes, mask & inner.dtype or mask, inner.library, wrapper)
        try:
            extended = axes.extend(inner.axes)
        except AxesError:
            return ANYTHING
        outer = wrapper if inner.wrapper == "Shaped" else inner.wrapper
        return ArraySpec(
            extended, mask & inner.dtype, inner.library, outer if mask == dtypes.ANY else wrapper
        )
    if isinstance(inner, NumberSpec):
        return inner
    name = typing_name(array)
    if name == "Any":
        return ArraySpec(axes, mask, "any", wrapper)
    # A subclass of Tensor, a jax array, a type variable: shape and dtype hold all the same.
    return ArraySpec(axes, mask, "any", wrapper)


def problem(wrapper: str, array: Value, text: Any) -> str | None:
    """What is wrong with ``wrapper[array, text]``, in words; None where it is well formed."""
    try:
        axes = parse(text)
        inner = to_spec(array)
        if isinstance(inner, ArraySpec) and inner.axes.text != "...":
            axes.extend(inner.axes)
        if isinstance(inner, ArraySpec) and not inner.dtype & dtypes.of_wrapper(wrapper):
            return f"{wrapper} of {inner.wrapper}: no dtype is both; Shaped[...] adds axes alone"
    except AxesError as error:
        return str(error)
    return next((p for p in map(symbolic_problem, axes.dims) if p), None)


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
            return all(informative(item) for item in items)
        case SequenceSpec(element=inner) | DictSpec(value=inner) | AwaitableSpec(result=inner):
            return informative(inner)
    return True
