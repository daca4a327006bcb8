"""Reading an annotation: from its syntax to a spec."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.axes import Axes, AxesError, parse
from typedtorch.shapes.infer.annotations.specs import (
    ANY_TENSOR,
    ANYTHING,
    TENSOR_CLASSES,
    ArraySpec,
    AwaitableSpec,
    CallableSpec,
    ClassSpec,
    DictSpec,
    Evaluate,
    InstanceSpec,
    LiteralSpec,
    NoneSpec,
    NumberSpec,
    ObjectSpec,
    SequenceSpec,
    Spec,
    TupleSpec,
    UnionSpec,
    VariableSpec,
    union,
)
from typedtorch.shapes.infer.values.values import (
    ClassV,
    External,
    SpecV,
    Value,
)
from typedtorch.shapes.slips import slip

_OF_JAX = {"jaxtyping.Array", "jaxtyping.ArrayLike", "jax.Array", "jax.numpy.ndarray", "jax.typing.ArrayLike"}
_NUMBERS = {"int", "float", "bool", "complex"}
_LISTS = {
    "list": "list", "List": "list", "Sequence": "list", "MutableSequence": "list", "Collection": "iterator",
    "set": "set", "Set": "set", "frozenset": "set", "FrozenSet": "set", "AbstractSet": "set",
    "deque": "list", "Deque": "list", "Reversible": "iterator",
    "Iterable": "iterator", "Iterator": "iterator", "Generator": "iterator", "AsyncIterator": "iterator",
    "AsyncIterable": "iterator", "AsyncGenerator": "iterator", "DataLoader": "iterator",
    "ModuleList": "modules", "Sequential": "sequential",
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


def alias(node: ast.expr, evaluate: Evaluate, parameters: Sequence[str] = ()) -> SpecV:
    """An annotation as a value, which a name may stand for; ``Pair = tuple[T, T]`` is generic."""
    names = parameters or _variables(node, evaluate)
    spec = read(node, evaluate)
    if not names:
        return SpecV(spec)

    inside: list[ast.expr] = []

    def given(arguments: tuple[Spec, ...]) -> Spec:
        if len(arguments) != len(names) or inside:  # ``Tree = Union[T, list["Tree[T]"]]`` speaks of itself
            return ANYTHING
        bound = {name: SpecV(argument) for name, argument in zip(names, arguments, strict=True)}

        def evaluate_given(node: ast.expr) -> Value:
            variable = bound.get(node.id) if isinstance(node, ast.Name) else None
            return evaluate(node) if variable is None else variable

        inside.append(node)
        try:
            return read(node, evaluate_given)
        finally:
            inside.pop()

    return SpecV(spec, given)


def _variables(node: ast.expr, evaluate: Evaluate) -> list[str]:
    """Type variables of an annotation, in the order in which they first stand there."""
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
    names.sort(key=lambda n: (n.lineno, n.col_offset))
    found = (n.id for n in names if isinstance(to_spec(evaluate(n)), VariableSpec))
    return list(dict.fromkeys(found))


def _read_subscript(node: ast.expr, base: ast.expr, index: ast.expr, evaluate: Evaluate) -> Spec:
    generic = evaluate(base)
    name = typing_name(generic)
    arguments = index.elts if isinstance(index, ast.Tuple) else [index]
    if isinstance(generic, ClassV) and generic.info.type_parameters():
        return InstanceSpec(generic.info, tuple(read(a, evaluate) for a in arguments))
    if isinstance(generic, SpecV) and generic.given is not None:
        return generic.given(tuple(read(a, evaluate) for a in arguments))
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
    if slip(axes) is not None:
        return ANYTHING
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
    # A subclass of Tensor, Any, a type variable: shape and dtype hold all the same.
    jax = isinstance(array, External) and array.name in _OF_JAX
    return ArraySpec(axes, mask, "jax" if jax else "any", wrapper)


def problem(wrapper: str, array: Value, text: Any) -> str | None:
    """What is wrong with ``wrapper[array, text]``, in words; None where it is well formed."""
    try:
        axes = parse(text)
        inner = to_spec(array)
        if isinstance(inner, ArraySpec) and inner.axes.text != "...":
            axes.extend(inner.axes)
        if isinstance(inner, ArraySpec) and not inner.dtype & dtypes.of_wrapper(wrapper):
            return f"{wrapper} of {inner.wrapper}: no dtype is both; Shaped[...] adds only axes"
    except AxesError as error:
        return str(error)
    return slip(axes)
