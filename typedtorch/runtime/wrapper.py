"""The function that stands in for a checked one.

It starts as a few shared lines that build the checker at the first call (by then every name an
annotation mentions exists) and then gives itself the generated code: nothing is left in between.
Under ``torch.compile`` and ``torch.export`` ``is_compiling()`` is a constant, so that tracing sees one
plain call and no branch.
"""

from __future__ import annotations

import builtins
import functools
import sys
from collections.abc import AsyncGenerator, Callable, Generator
from types import FunctionType
from typing import Any

from typedtorch.runtime.checker import Checker, ScopeKind
from typedtorch.runtime.generate import generate
from typedtorch.runtime.hints import surrounding_names
from typedtorch.runtime.streams import drive, drive_async
from typedtorch.runtime.switch import SWITCH, is_compiling

FUNCTION: Callable[..., Any]  # these three are globals of each wrapper
BUILD: Callable[[], Any]
CHECKER: Callable[[], Checker]


def is_typed(function: Callable[..., Any]) -> bool:
    """Whether calls are checked already, by this wrapper or one further in."""
    return "__typed__" in function.__dict__


def wrap(function: FunctionType, scope: ScopeKind, *, arrays_only: bool = False) -> FunctionType:
    """The checked function; ``function`` itself where it has no annotation.

    With ``arrays_only`` a signature that turns out to hold no array is not checked at all.
    """
    if not function.__annotations__ and not getattr(function, "__wrapped__", None):
        return function
    namespace: dict[str, Any] = {
        "__builtins__": builtins, "__tracebackhide__": True, "FUNCTION": function, "SWITCH": SWITCH,
        "is_compiling": _is_compiling(),
    }  # fmt: skip
    wrapper = FunctionType(_first_code(function), namespace, function.__name__)
    functools.update_wrapper(wrapper, function)
    wrapper.__dict__["__typed__"] = True
    local = surrounding_names(function)

    @functools.cache
    def checker() -> Checker:
        return Checker(function, local, scope, arrays_only=arrays_only)

    def build() -> FunctionType:
        namespace["CHECKER"] = checker()
        made = generate(checker(), namespace)
        wrapper.__defaults__, wrapper.__kwdefaults__ = made.__defaults__, made.__kwdefaults__
        namespace["is_compiling"] = _is_compiling()
        wrapper.__code__ = made.__code__
        return wrapper

    namespace |= {"BUILD": build, "CHECKER": checker, "drive": drive, "drive_async": drive_async}
    return wrapper


def _is_compiling() -> Callable[[], bool]:
    torch = sys.modules.get("torch")
    compiler = getattr(torch, "compiler", None)
    return getattr(compiler, "is_compiling", is_compiling)


def _first_code(function: FunctionType) -> Any:
    flags = function.__code__.co_flags
    for flag, first in _FIRST.items():
        if flags & flag:
            return first.__code__
    return _first_call.__code__


def _first_call(*args: Any, **kwargs: Any) -> Any:
    if is_compiling():
        return FUNCTION(*args, **kwargs)
    return BUILD()(*args, **kwargs)


async def _first_await(*args: Any, **kwargs: Any) -> Any:
    if is_compiling():
        return await FUNCTION(*args, **kwargs)
    return await BUILD()(*args, **kwargs)


def _generator(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
    if is_compiling() or not SWITCH.on:
        return (yield from FUNCTION(*args, **kwargs))
    return (yield from drive(CHECKER(), args, kwargs))


async def _async_generator(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
    checked = SWITCH.on and not is_compiling()
    inner = drive_async(CHECKER(), args, kwargs) if checked else FUNCTION(*args, **kwargs)
    try:
        value = await anext(inner)
        while True:
            try:
                sent = yield value
            except GeneratorExit:
                raise
            except BaseException as error:
                value = await inner.athrow(error)
            else:
                value = await inner.asend(sent)
    except StopAsyncIteration:
        return
    finally:
        await inner.aclose()


CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR = 0x20, 0x80, 0x200
_FIRST: dict[int, Callable[..., Any]] = {
    CO_GENERATOR: _generator, CO_COROUTINE: _first_await, CO_ASYNC_GENERATOR: _async_generator,
}  # fmt: skip
