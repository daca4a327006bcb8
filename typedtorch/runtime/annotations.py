"""From an annotation object to the spec that checks it.

Anything this does not know becomes :class:`Anything`: an unknown annotation is silent, never a false alarm.
"""

from __future__ import annotations

import collections
import dataclasses
import enum
import sys
import types
import typing
from collections import abc
from typing import Any, TypeVar, Union, get_args, get_origin

from typedtorch.runtime.arrays import Array, type_name
from typedtorch.runtime.specs import (
    All,
    Anything,
    Beyond,
    Either,
    Fixed,
    Instance,
    Items,
    OneOf,
    Pairs,
    Record,
    Spec,
    Subclass,
    Where,
)  # fmt: skip
from typedtorch.runtime.trees import Tree
from typedtorch.shapes.axes import parse

ANYTHING = Anything()
_UNION = {Union, types.UnionType}
_WRAPPERS = {"Final", "Required", "NotRequired", "ReadOnly", "ClassVar"}
_HOLDERS = (list, dict, set, frozenset, tuple, collections.deque)
_ONE_WAY: tuple[Any, ...] = (  # consumed by looking at it, or called: isinstance is all that can be asked
    abc.Iterator, abc.Generator, abc.AsyncIterable, abc.AsyncIterator, abc.AsyncGenerator,
    abc.Awaitable, abc.Coroutine, abc.Callable,
)  # fmt: skip


def spec_of(annotation: Any) -> Spec:
    """The spec of an annotation that is already an object (strings resolved)."""
    annotation = _strip(annotation)
    if annotation is None or annotation is type(None):
        return Instance(type(None))
    if annotation in (typing.NoReturn, typing.Never):
        return Where(lambda _: False, "no value at all")
    if annotation is typing.LiteralString:
        return Instance(str)
    if isinstance(annotation, TypeVar):
        return _of_type_variable(annotation)
    origin = get_origin(annotation)
    if origin is not None:
        return _of_generic(annotation, origin, get_args(annotation))
    return _of_class(annotation) if isinstance(annotation, type) else ANYTHING


def _strip(annotation: Any) -> Any:
    """Look through ``NewType``, ``type X = ...``, ``Final``, ``Required`` and the like."""
    while True:
        if isinstance(annotation, typing.NewType):
            annotation = annotation.__supertype__
        elif hasattr(annotation, "__value__") and type(annotation).__name__ == "TypeAliasType":
            annotation = annotation.__value__
        elif isinstance(annotation, dataclasses.InitVar):
            annotation = annotation.type
        elif type(get_origin(annotation)).__name__ == "TypeAliasType":
            alias, args = get_origin(annotation), get_args(annotation)
            annotation = _filled(alias.__value__, dict(zip(alias.__type_params__, args, strict=False)))
        elif form_of(annotation) in _WRAPPERS:
            annotation = get_args(annotation)[0]
        else:
            return annotation


def form_of(annotation: Any) -> str | None:
    """``Final`` of ``Final[int]``, be it that of ``typing`` or of ``typing_extensions``; None of a class."""
    origin = get_origin(annotation)
    return None if isinstance(origin, type) else getattr(origin, "_name", None)


def _marks(annotation: Any) -> set[str]:
    """``{"ReadOnly", "NotRequired"}`` of ``ReadOnly[NotRequired[int]]``."""
    if get_origin(annotation) is typing.Annotated:
        return _marks(annotation.__origin__)
    form = form_of(annotation)
    return {form, *_marks(get_args(annotation)[0])} if form in _WRAPPERS else set()


def is_typed_dict(kind: Any) -> bool:
    """Whether a class is a ``TypedDict``, of ``typing`` or of ``typing_extensions``."""
    return type(kind).__name__ == "_TypedDictMeta"


def _of_class(kind: type) -> Spec:
    if kind is object or kind is Any:
        return ANYTHING
    jaxtyping = sys.modules.get("jaxtyping")
    if jaxtyping is not None and issubclass(kind, jaxtyping.AbstractArray):
        return _of_array(kind)
    if type(kind).__name__ == "_MetaPyTree":
        return _of_tree(kind)
    if is_typed_dict(kind):
        return _of_record(abc.Mapping, kind, getattr(kind, "__required_keys__", frozenset()))
    if issubclass(kind, tuple) and hasattr(kind, "_fields") and hasattr(kind, "__annotations__"):
        return _of_record(kind, kind, frozenset(kind._fields))
    if issubclass(kind, typing.IO):
        return ANYTHING  # the classes of real files do not derive from it
    if getattr(kind, "_is_protocol", False) and not getattr(kind, "_is_runtime_protocol", False):
        return ANYTHING
    return _of_own_container(kind, ()) if issubclass(kind, _HOLDERS) else Instance(kind)


def _of_array(kind: Any) -> Spec:
    if getattr(kind, "_skip_instancecheck", False) or not hasattr(kind, "dims"):
        return ANYTHING
    dtypes = kind.dtypes if isinstance(kind.dtypes, tuple | list) else None
    return Array(
        kind.array_type, None if dtypes is None else tuple(dtypes), parse(kind.dim_str),
        kind.dtype.__name__, _torch_dtypes(dtypes),
    )  # fmt: skip


def _torch_dtypes(names: Any) -> set[Any]:
    torch = sys.modules.get("torch")
    if torch is None or names is None:
        return set()
    plain = {name for name in names if isinstance(name, str)}
    return {getattr(torch, name) for name in plain if isinstance(getattr(torch, name, None), torch.dtype)}


def _of_tree(kind: Any) -> Spec:
    if not hasattr(kind, "leaftype"):
        return ANYTHING
    leaf = spec_of(int | float if kind.leaftype is float else kind.leaftype)
    return Tree(leaf, kind.structure, kind.__name__)


def _of_record(kind: type, declared: Any, required: frozenset[str]) -> Spec:
    try:
        hints = typing.get_type_hints(declared, include_extras=True)
    except Exception:
        hints = {}  # a name in it cannot be resolved: nothing is known of the fields
    for name, hint in hints.items():  # where annotations are strings the class itself cannot tell
        marks = _marks(hint)
        required = required | {name} if "Required" in marks else required
        required = required - {name} if "NotRequired" in marks else required
    names = getattr(declared, "_fields", hints)
    fields = {name: Beyond(spec_of(hints[name])) for name in names if name in hints}
    return Record(kind, fields, required, type_name(declared))


def _of_type_variable(variable: TypeVar) -> Spec:
    if variable.__constraints__:
        return _of_union(variable.__constraints__)
    return ANYTHING if variable.__bound__ is None else spec_of(variable.__bound__)


def _of_generic(annotation: Any, origin: Any, args: tuple[Any, ...]) -> Spec:
    if _is_bare(annotation):
        return spec_of(origin)
    text = _text(annotation)
    if origin in _UNION:
        return _of_union(args)
    if origin is typing.Literal:
        kinds = tuple({type(value): None for value in args})
        return OneOf(args, kinds, text)
    if origin is typing.Annotated:
        return _of_annotated(annotation)
    if form_of(annotation) in ("TypeGuard", "TypeIs"):
        return Instance(bool)
    if not isinstance(origin, type):
        return ANYTHING
    if origin is typing.IO:
        return ANYTHING
    if origin is type:
        return _of_subclass(args[0], text)
    if origin is tuple:
        return _of_tuple(args, text)
    if origin.__module__.startswith("numpy") and origin.__name__ == "ndarray":
        return _of_ndarray(origin, args, text)
    if origin is collections.Counter:
        return Pairs(origin, spec_of(args[0]), spec_of(int), text)
    if issubclass(origin, abc.Mapping) and len(args) == 2 and not is_typed_dict(origin):
        return Pairs(origin, spec_of(args[0]), spec_of(args[1]), text)
    if issubclass(origin, abc.ItemsView):
        return Items(origin, spec_of(types.GenericAlias(tuple, args)), text)
    if issubclass(origin, _ONE_WAY):
        return Instance(origin)
    if (
        origin.__module__ in _CONTAINERS
        and len(args) == 1
        and issubclass(origin, abc.Iterable | abc.Container)
    ):
        return Items(origin, spec_of(args[0]), text)
    return _of_user_generic(origin, args)


_CONTAINERS = {"builtins", "collections", "collections.abc"}


def _is_bare(annotation: Any) -> bool:
    """``Dict``, ``Tuple`` or ``Type``, which say nothing of what is inside; ``Tuple[()]`` does."""
    return not hasattr(annotation, "__args__")


def _of_union(options: tuple[Any, ...]) -> Spec:
    specs: list[Spec] = []
    for option in options:
        spec = spec_of(option)
        if isinstance(spec, Anything):
            return spec
        specs += spec.options if isinstance(spec, Either) else [spec]
    specs = list(dict.fromkeys(specs)) if all(map(_hashable, specs)) else specs
    shallow = [s for s in specs if isinstance(s, Instance | Array | Tree)]
    return Either((*shallow, *(s for s in specs if not isinstance(s, Instance | Array | Tree))))


def _hashable(spec: Spec) -> bool:
    try:
        hash(spec)
    except TypeError:
        return False
    return True


def _of_annotated(annotation: Any) -> Spec:
    inner = spec_of(annotation.__origin__)
    validators = [
        Where(extra.is_valid, f"{inner.text} that {extra!r}")
        for extra in annotation.__metadata__
        if type(extra).__module__.startswith("beartype.") and hasattr(extra, "is_valid")
    ]
    return All((inner, *validators)) if validators else inner


def _of_subclass(kind: Any, text: str) -> Spec:
    if isinstance(kind, TypeVar):
        kinds: tuple[Any, ...] = kind.__constraints__ or (kind.__bound__ or object,)
    else:
        kinds = get_args(kind) if get_origin(kind) in _UNION else (kind,)
    plain = tuple(map(_plain_class, kinds))
    return Subclass(plain, text) if all(map(_has_subclasses, plain)) else Instance(type)


def _plain_class(kind: Any) -> Any:
    """The class that ``Annotated[C, ...]`` or ``C[int]`` is about."""
    kind = _strip(kind)
    if get_origin(kind) is typing.Annotated:
        return _plain_class(kind.__origin__)
    return get_origin(kind) or kind


def _has_subclasses(kind: Any) -> bool:
    """Whether it can be asked what derives from it, unlike a ``TypedDict`` and most protocols."""
    try:
        issubclass(int, kind)
    except TypeError:
        return False
    return kind is not Any and not issubclass(kind, typing.IO)


def _of_tuple(args: tuple[Any, ...], text: str) -> Spec:
    if len(args) == 2 and args[1] is Ellipsis:
        return Items(tuple, spec_of(args[0]), text)
    starred = [i for i, arg in enumerate(args) if form_of(arg) == "Unpack" or _is_starred(arg)]
    if not starred:
        return Fixed(tuple(map(spec_of, args)), text)
    at = starred[0]
    inner = get_args(args[at])
    if form_of(args[at]) == "Unpack":
        inner = get_args(inner[0])
    items = tuple(spec_of(arg) for i, arg in enumerate(args) if i != at)
    if len(starred) > 1 or len(inner) != 2 or inner[1] is not Ellipsis:
        return Instance(tuple)
    return Fixed(items, text, at, spec_of(inner[0]))


def _is_starred(arg: Any) -> bool:
    return getattr(arg, "__unpacked__", False) is True


def _of_ndarray(origin: type, args: tuple[Any, ...], text: str) -> Spec:
    """``NDArray[np.float32]`` by equality, ``NDArray[np.floating]`` by kind."""
    scalars = get_args(args[1]) if len(args) == 2 else ()
    scalar = scalars[0] if scalars else Any
    numpy = sys.modules["numpy"]
    if isinstance(scalar, TypeVar):
        scalar = scalar.__bound__ or Any
    scalar = get_origin(scalar) or scalar
    if not isinstance(scalar, type) or scalar in (Any, numpy.generic):
        return Instance(origin)
    if scalar in numpy.sctypeDict.values():
        wanted = numpy.dtype(scalar)
        return All((Instance(origin), Where(lambda array: bool(array.dtype == wanted), text)))
    return All((Instance(origin), Where(lambda array: issubclass(array.dtype.type, scalar), text)))


def _of_user_generic(origin: type, args: tuple[Any, ...]) -> Spec:
    """A class of the program's own with arguments, which say something where it is a container."""
    own = spec_of(origin)
    if isinstance(own, Record | Anything) or not issubclass(origin, _HOLDERS):
        return own
    return _of_own_container(origin, args)


def _of_own_container(kind: type, args: tuple[Any, ...]) -> Spec:
    """An instance of ``class Batch(list[T])``, and of ``list[T]``; bases may be such classes themselves."""
    bases = getattr(kind, "__orig_bases__", ())
    own_parameters = dict.fromkeys(p for base in bases for p in getattr(base, "__parameters__", ()))
    given = dict(zip(getattr(kind, "__parameters__", own_parameters), args, strict=False))
    held = [base for base in bases if issubclass(get_origin(base) or object, _HOLDERS)]
    parts = [spec_of(_filled(base, given)) for base in held]
    return All((Instance(kind), *parts)) if parts else Instance(kind)


def _filled(generic: Any, given: dict[Any, Any]) -> Any:
    """An annotation with these values for its type variables, as far as they are given."""
    variables = getattr(generic, "__parameters__", ())
    if variables:
        return generic[tuple(given.get(variable, variable) for variable in variables)]
    return given.get(generic, generic) if isinstance(generic, TypeVar) else generic


def _text(annotation: Any) -> str:
    args, origin = get_args(annotation), get_origin(annotation)
    if origin in _UNION:
        return " | ".join(_text(arg) for arg in args)
    if origin is typing.Literal:
        return f"Literal[{', '.join(map(_literal, args))}]"
    if origin is None:
        return "..." if annotation is Ellipsis else spec_of(annotation).text
    if not args:
        return type_name(origin) if _is_bare(annotation) else f"{type_name(origin)}[()]"
    inner = ", ".join(_text(arg) if not isinstance(arg, list) else "[...]" for arg in args)
    return f"{type_name(origin)}[{inner}]"


def _literal(value: Any) -> str:
    return f"{type(value).__name__}.{value.name}" if isinstance(value, enum.Enum) else repr(value)
