"""``Self``, and the name of a class in its own body: a class that is still being made.

What a later decorator makes of it (``dataclass(slots=True)`` copies it) is that class as well, so it is
known by its module and name.
"""

from __future__ import annotations

import functools
import operator
import types
import typing
from typing import Any, Union, get_args, get_origin


class _Named(type):
    """The metaclass of stand-ins for ``_stands_for`` and every class of its module and name."""

    _stands_for: type

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, cls._stands_for) or issubclass(type(value), cls)

    def __getitem__(cls, arguments: Any) -> _Named:
        """``Own["T"]`` of a generic class says as much as its name."""
        return cls

    def __subclasscheck__(cls, kind: type) -> bool:
        wanted = cls._stands_for.__module__, cls._stands_for.__qualname__
        return any((base.__module__, base.__qualname__) == wanted for base in kind.__mro__)


def own_class(owner: type | None) -> type | None:
    """A class to ask ``isinstance`` of in the place of ``owner``; None where that cannot be asked."""
    if owner is None or getattr(owner, "_is_protocol", False):
        return None
    body = {"_stands_for": owner, "__module__": owner.__module__, "__qualname__": owner.__qualname__}
    return _Named(owner.__name__, (), body)


def with_self(annotation: Any, own: type) -> Any:
    """The annotation with ``own`` in the place of each ``Self``."""
    if annotation is typing.Self:
        return own
    given = get_args(annotation)
    args = tuple(with_self(arg, own) for arg in given)
    if args == given:
        return annotation
    if get_origin(annotation) in (Union, types.UnionType):
        return functools.reduce(operator.or_, args)
    if isinstance(annotation, types.GenericAlias):
        return types.GenericAlias(get_origin(annotation), args)
    if get_origin(annotation) is typing.Annotated:
        return annotation.copy_with(args[:1])
    return annotation.copy_with(args)
