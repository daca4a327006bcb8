"""``typed``: annotations enforced at each call.

>>> import torch
>>> from jaxtyping import Float
>>> from torch import Tensor
>>> @typed
... def project(x: Float[Tensor, "n d"], w: Float[Tensor, "d k"]) -> Float[Tensor, "n k"]:
...     return x @ w
>>> project(torch.ones(2, 64), torch.ones(64, 8)).shape
torch.Size([2, 8])
>>> project(torch.ones(2, 64), torch.ones(32, 8))  # doctest: +ELLIPSIS
Traceback (most recent call last):
    ...
typedtorch.runtime.errors.ShapeCheckError: project: argument 'w': axis d: wanted 64, got 32
  wanted  Float[Tensor, "d k"]
  got     float32 (32, 8)
  d = 64 from argument 'x': float32 (2, 64)
  called  ... in <module>
"""

from __future__ import annotations

import contextlib
import functools
import typing
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any, TypeVar, overload

from typedtorch.runtime.annotations import is_typed_dict
from typedtorch.runtime.checker import ScopeKind
from typedtorch.runtime.fields import check_fields
from typedtorch.runtime.streams import Streaming
from typedtorch.runtime.switch import disabled_by_environment, is_compiling
from typedtorch.runtime.wrapper import MARK, is_typed, is_wrapper, wrap

DecoratedT = TypeVar("DecoratedT")


@overload
def typed(target: DecoratedT, /, *, scope: ScopeKind = "call") -> DecoratedT: ...
@overload
def typed(*, scope: ScopeKind = "call") -> Callable[[DecoratedT], DecoratedT]: ...
def typed(target: Any = None, /, *, scope: ScopeKind = "call") -> Any:
    """Check the annotations of a function, of a class's methods or of a dataclass's fields as they are used.

    Arguments are checked before the call, the result after it; of a coroutine both where it is awaited, of
    a generator the arguments at the call and then each value yielded, sent and returned.  Axes named alike
    have one size throughout a call; a name that first appears in what is yielded is new with each value.
    With ``scope="instance"`` axes named like an ``int`` attribute of ``self``, or in an annotation of the
    class body, have the size the instance gives them.  In the body of a function that is checked,
    ``isinstance`` with an array annotation and ``jaxtyping.print_bindings`` know what the call has bound, as
    under ``jaxtyped``.

    A default is not checked, and binds no axis, whether it is left to stand or the same object is passed;
    nor is what the ``default_factory`` of a dataclass's field makes.

    Nothing is checked while ``torch.compile`` or ``torch.export`` traces, after ``checking(False)``, or
    where ``TYPEDTORCH_CHECK=off`` (``typed`` then returns what it was given).

    Raises:
        CheckError: (at a call) a value contradicts its annotation.
        TypeError: (at decoration) neither a function, a class, nor a descriptor of one.
    """
    if scope not in ("call", "instance"):
        raise ValueError(f"typed: wanted scope 'call' or 'instance', got {scope!r}")
    if target is None:
        return lambda given: typed(given, scope=scope)
    if is_compiling() or disabled_by_environment() or getattr(target, "__no_type_check__", False):
        return target  # what is defined in a function that is traced is traced as it is
    if isinstance(target, type):
        return _class(target, scope)
    made = _member(target, scope)
    if made is None:
        raise TypeError(f"typed: wanted a function, a method or a class, got {type(target).__name__}")
    return made


def _member(target: Any, scope: ScopeKind, owner: type | None = None) -> Any:
    """A function or what stands around one, checked; None where it is neither."""
    match target:
        case FunctionType() | Streaming():
            return _function(target, scope, owner)
        case MethodType():
            return MethodType(_member(target.__func__, scope, owner), target.__self__)
        case staticmethod() | classmethod():
            inner = _member(target.__func__, "call", owner)  # there is no instance
            return None if inner is None else type(target)(inner)
        case property():
            parts: list[Any] = [
                _member(f, scope, owner) or f for f in (target.fget, target.fset, target.fdel)
            ]
            return type(target)(parts[0], parts[1], parts[2], target.__doc__)
        case functools.cached_property():
            target.func = _member(target.func, scope, owner) or target.func
            return target
        case functools._lru_cache_wrapper():  # checked inside, so that the cache can still be asked
            inner = _member(target.__wrapped__, scope, owner)
            if inner is None or inner is target.__wrapped__:
                return None if inner is None else target
            return functools.lru_cache(**target.cache_parameters())(inner)
        case _:
            return None


def _function(function: FunctionType | Streaming, scope: ScopeKind, owner: type | None) -> Any:
    """Checked once: what is checked already stays, unless its names are to be the instance's from now on."""
    if isinstance(function, FunctionType) and not is_typed(function):
        return wrap(function, scope, owner=owner)
    if scope == "instance" and vars(function)[MARK] == "call" and is_wrapper(function):
        return wrap(vars(function)["__wrapped__"], scope, owner=owner)
    return function


def _class(kind: type, scope: ScopeKind) -> type:
    """Check every function in the class's own body; ``__init__`` and assignment of a dataclass."""
    if is_typed_dict(kind) or "__typed__" in kind.__dict__:
        return kind
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        _read_fields(kind)
    for name, value in list(vars(kind).items()):
        made = None if isinstance(value, type) else _member(value, scope, kind)
        if made is not None and made is not value:
            setattr(kind, name, made)
    check_fields(kind)
    kind.__typed__ = True  # type: ignore[attr-defined]  # a mark: decorating twice is decorating once
    return kind


def _read_fields(kind: type) -> None:
    """Give the constructor of a NamedTuple annotations it can read: it has no module of its own."""
    with contextlib.suppress(Exception):  # a field whose class does not exist yet stays unchecked
        kind.__new__.__annotations__.update(typing.get_type_hints(kind, include_extras=True))
