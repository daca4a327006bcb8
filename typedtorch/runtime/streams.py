"""Generators, step by step: every value that is yielded, sent or returned is checked.

Exceptions thrown in, and ``close``, reach the function as they do without a check.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator
from dataclasses import replace
from typing import Any, get_args

from typedtorch.runtime.annotations import spec_of
from typedtorch.runtime.checker import Checker
from typedtorch.runtime.scope import Scope
from typedtorch.runtime.specs import Anything, Spec


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
        self.checker.value(spec, value, _own(self.scope), place)
        return value


Start = Callable[[tuple[Any, ...], dict[str, Any]], Stream | None]


def _own(scope: Scope) -> Scope:
    """A scope for one value: a name it is the first to bind is new with the next value."""
    return replace(
        scope, sizes=dict(scope.sizes), runs=dict(scope.runs), trees=dict(scope.trees),
        origins=dict(scope.origins),
    )  # fmt: skip


def checked_generator(function: Any, start: Start) -> Callable[..., Any]:
    """A generator function that runs ``function`` under the checks ``start`` gives for a call, if any."""

    def wrapper(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        stream = start(args, kwargs)
        inner = function(*args, **kwargs)
        if stream is None:
            return (yield from inner)
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

    return wrapper


def checked_async_generator(function: Any, start: Start) -> Callable[..., Any]:
    """The same for an asynchronous generator function."""

    async def wrapper(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        stream = start(args, kwargs)
        inner = function(*args, **kwargs)
        try:
            value = await anext(inner)
            while True:
                if stream is not None:
                    stream.yielded(value)
                try:
                    sent = yield value
                except GeneratorExit:
                    raise
                except BaseException as error:
                    value = await inner.athrow(error)
                else:
                    value = await inner.asend(sent if stream is None else stream.sent(sent))
        except StopAsyncIteration:
            return
        finally:
            await inner.aclose()

    return wrapper
