"""Generators, step by step: every value that is yielded, sent or returned is checked."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from dataclasses import replace
from typing import Any, get_args

from typedtorch.runtime.annotations import spec_of
from typedtorch.runtime.checker import Checker
from typedtorch.runtime.scope import Scope
from typedtorch.runtime.specs import Anything, Spec


class _Stream:
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


def _own(scope: Scope) -> Scope:
    """A scope for one value: a name it is the first to bind is new with the next value."""
    return replace(
        scope, sizes=dict(scope.sizes), runs=dict(scope.runs), trees=dict(scope.trees),
        origins=dict(scope.origins),
    )  # fmt: skip


def drive(checker: Checker, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Generator[Any, Any, Any]:
    """Run a checked generator; exceptions thrown in, and ``close``, reach it as without a check."""
    stream = _Stream(checker, args, kwargs)
    inner = checker.function(*args, **kwargs)
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


async def drive_async(
    checker: Checker, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> AsyncGenerator[Any, Any]:
    """The same for an asynchronous generator."""
    stream = _Stream(checker, args, kwargs)
    inner = checker.function(*args, **kwargs)
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
