"""The function that stands in for a checked one.

Its code is written once and never changes, so that whatever ``torch.compile`` has traced stays valid::

    def forward(self, x, scale=scale_default):
        if is_compiling() or not SWITCH.on:
            return FUNCTION(self, x, scale)
        return CHECKED(self, x, scale)

``is_compiling()`` is a constant to a tracer, which sees one plain call and no branch.  ``CHECKED`` is
generated at the first call, when every name that an annotation mentions exists.
"""

from __future__ import annotations

import builtins
import functools
import inspect
import sys
import threading
from collections.abc import Callable
from types import FunctionType
from typing import Any

from typedtorch.runtime.bindings import asks
from typedtorch.runtime.checker import Checker, ScopeKind
from typedtorch.runtime.generate import generate
from typedtorch.runtime.hints import surrounding_names
from typedtorch.runtime.signatures import Written, load
from typedtorch.runtime.streams import Streaming
from typedtorch.runtime.switch import SWITCH, is_compiling

_BUILDING = threading.RLock()  # two threads may make the first call at once
MARK = "__typed__"  # in the __dict__ of what is checked already: the scope its names have


def is_typed(function: Callable[..., Any]) -> bool:
    """Whether calls are checked already, by this wrapper or one further in."""
    return MARK in function.__dict__


def is_wrapper(function: FunctionType | Streaming) -> bool:
    """Whether it is itself the wrapper, not a decorator's copy of its attributes."""
    return isinstance(function, Streaming) or function.__globals__.get("SWITCH") is SWITCH


def wrap(
    function: FunctionType, scope: ScopeKind, *, owner: type | None = None, arrays_only: bool = False
) -> Any:
    """The checked function; ``function`` itself where it has no annotation, and asks for no bindings.

    ``owner`` is the class whose body it is in, where that is known.
    With ``arrays_only`` a signature that turns out to hold no array is not checked at all.
    """
    plain = not function.__annotations__ and not hasattr(function, "__wrapped__")
    if plain and (arrays_only or not asks(function)):
        return function
    compiler = getattr(sys.modules.get("torch"), "compiler", None)
    namespace: dict[str, Any] = {
        "__builtins__": builtins,
        "__tracebackhide__": True,
        "SWITCH": SWITCH,
    }
    tracing = getattr(compiler, "is_compiling", is_compiling)
    local = surrounding_names(function)

    @functools.cache
    def checker() -> Checker:
        exempt = any(getattr(part, "__no_type_check__", False) for part in (wrapper, owner))
        return Checker(function, local, scope, owner=owner, arrays_only=arrays_only, exempt=exempt)

    wrapper: Any = _function(Written(function, namespace), tracing, checker)
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        wrapper = Streaming.of(function, wrapper)
    else:
        functools.update_wrapper(wrapper, function)
    wrapper.__dict__[MARK] = scope
    return wrapper


def _function(written: Written, tracing: Callable[[], bool], checker: Callable[[], Checker]) -> FunctionType:
    made: dict[type | None, FunctionType] = {}  # by the class of instance, where names are the instance's

    def first(*args: Any, **kwargs: Any) -> Any:
        owner = type(args[0]) if checker().scope == "instance" and args else None
        with _BUILDING:
            if owner not in made:
                made[owner] = generate(checker(), written, owner)
                if written.namespace[checked] is first and (owner is None) == (checker().scope == "call"):
                    written.namespace[checked] = made[owner]
        return made[owner](*args, **kwargs)

    checked, written.first = written.constant("CHECKED", first), written.constant("FIRST", first)
    is_tracing, switch = written.constant("is_compiling", tracing), written.constant("SWITCH", SWITCH)
    return load(
        f"{written.head(defaults=True)}\n"
        f"    if {is_tracing}() or not {switch}.on:\n"
        f"        return {written.call_function}\n"
        f"    return {written.awaiting}{written.call(checked)}\n",
        written.namespace,
        written.label,
    )
