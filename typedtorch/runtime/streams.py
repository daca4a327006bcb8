"""Generators: the arguments at the call, then step by step every value that is yielded, sent or returned.

Exceptions thrown in, and ``close``, reach the function as they do without a check.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncGenerator, Callable, Generator
from dataclasses import replace
from types import MethodType
from typing import Any, get_args

from typedtorch.runtime.annotations import spec_of
from typedtorch.runtime.checker import Checker
from typedtorch.runtime.scope import Scope
from typedtorch.runtime.specs import Anything, Beyond, Spec
from typedtorch.runtime.switch import SWITCH, is_compiling


class Stream:
    """The specs of one running generator; axes the arguments bound hold for all of its values."""

    def __init__(self, checker: Checker, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.checker = checker
        self.scope = checker.arguments(checker.positions(args, kwargs))
        given = (*map(spec_of, get_args(checker.annotated)), Anything(), Anything(), Anything())
        self.yields, self.sends, self.returns = given[:3]

    def yielded(self, value: Any) -> Any:
        return self._check(self.yields, value, "yielded value")

    def sent(self, value: Any) -> Any:
        return value if value is None else self._check(self.sends, value, "sent value")

    def returned(self, value: Any) -> Any:
        return self._check(self.returns, value, "return value")

    def _check(self, spec: Spec, value: Any, place: str) -> Any:
        self.checker.value(Beyond(spec), value, _own(self.scope), place)
        return value


def _own(scope: Scope) -> Scope:
    """A scope for one value: a name it is the first to bind is new with the next value."""
    return replace(
        scope, sizes=dict(scope.sizes), runs=dict(scope.runs), trees=dict(scope.trees),
        origins=dict(scope.origins),
    )  # fmt: skip


class Streaming(functools.partial[Any]):
    """A generator function, asynchronous or not, whose arguments are checked when it is called.

    The code of a generator function does not run at the call, so what checks then cannot be one.  ``inspect``
    looks through a partial object (``isgeneratorfunction`` says yes), and so does a tracer, which sees the
    function without its checks.
    """

    checker: Callable[[], Checker]

    @classmethod
    def of(cls, function: Any, checker: Callable[[], Checker]) -> Streaming:
        """The checked function; its checker is made at the first call."""
        made = cls(function)
        functools.update_wrapper(made, function)
        made.checker = checker
        return made

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        function, __tracebackhide__ = self.func, True
        if is_compiling() or not SWITCH.on:
            return function(*args, **kwargs)
        inner = function(*args, **kwargs)  # runs nothing, and refuses arguments that are missing
        stream = Stream(self.checker(), args, kwargs)
        steps = _async_steps if inspect.isasyncgenfunction(function) else _steps
        return _named_after(steps(stream, inner), function)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Bound as a function is; a tracer knows partial objects better than methods of them."""
        if instance is None:
            return self
        return functools.partial(self.func, instance) if is_compiling() else MethodType(self, instance)

    def __reduce__(self) -> Any:
        """Copied and pickled by name, as functions are."""
        return vars(self)["__qualname__"]

    def __repr__(self) -> str:
        return repr(self.func)


def _named_after(steps: Any, function: Any) -> Any:
    """Shown in tracebacks and warnings under the name of the function that was called."""
    steps.__name__, steps.__qualname__ = function.__name__, function.__qualname__
    return steps


def _steps(stream: Stream, inner: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
    try:
        value = next(inner)
        while True:
            stream.yielded(value)
            try:
                sent = yield value
            except GeneratorExit:
                raise
            except BaseException as error:
                value = inner.throw(error)
            else:
                value = inner.send(stream.sent(sent))
    except StopIteration as stop:
        return stream.returned(stop.value)
    finally:
        inner.close()


async def _async_steps(stream: Stream, inner: AsyncGenerator[Any, Any]) -> AsyncGenerator[Any, Any]:
    try:
        value = await anext(inner)
        while True:
            stream.yielded(value)
            try:
                sent = yield value
            except GeneratorExit:
                raise
            except BaseException as error:
                value = await inner.athrow(error)
            else:
                value = await inner.asend(stream.sent(sent))
    except StopAsyncIteration:
        return
    finally:
        await inner.aclose()
