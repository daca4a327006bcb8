"""Generators: the arguments at the call, then step by step every value that is yielded, sent or returned.

Exceptions thrown in, and ``close``, reach the function as they do without a check.
"""

from __future__ import annotations

import functools
from collections.abc import AsyncGenerator, Callable, Generator
from dataclasses import replace
from types import MethodType
from typing import Any

from typedtorch.runtime.checker import Checker
from typedtorch.runtime.scope import Scope
from typedtorch.runtime.specs import Beyond
from typedtorch.runtime.switch import is_compiling

Check = Callable[[Any], None]  # of one value that passes; None where nothing is asked of it
STEPS = ("yielded", "sent", "return")


def check_step(checker: Checker, scope: Scope, step: int, value: Any) -> None:
    """The full check of a value that one of :data:`STEPS` passes; axes the arguments bound hold for it.

    Raises:
        CheckError: it contradicts the annotation.
    """
    spec = checker.passing[step]
    if spec is not None:
        checker.value(Beyond(spec), value, _own(scope), f"{STEPS[step]} value")


def full_checks(checker: Checker, scope: Scope) -> tuple[Check, Check, Check]:
    """The full checks of one running generator."""
    yielded, sent, returned = (functools.partial(check_step, checker, scope, step) for step in range(3))
    return yielded, sent, returned


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

    checked: Callable[..., Any]

    @classmethod
    def of(cls, function: Any, checked: Callable[..., Any]) -> Streaming:
        """The function and what calls it with checks."""
        made = cls(function)
        functools.update_wrapper(made, function)
        made.checked = checked
        return made

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        return self.checked(*args, **kwargs)

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


def watched(inner: Any, yielded: Check | None, sent: Check | None, returned: Check | None) -> Any:
    """The generator with what passes checked, under its own name in tracebacks and warnings."""
    if yielded is sent is returned is None:
        return inner
    if isinstance(inner, Generator):
        steps: Any = _steps(inner, yielded, sent, returned)
    else:
        steps = _async_steps(inner, yielded, sent)
    steps.__name__, steps.__qualname__ = inner.__name__, inner.__qualname__
    return steps


def _steps(
    inner: Generator[Any, Any, Any], yielded: Check | None, sent: Check | None, returned: Check | None
) -> Generator[Any, Any, Any]:
    try:
        value = next(inner)
        while True:
            if yielded is not None:
                yielded(value)
            try:
                given = yield value
            except GeneratorExit:
                raise
            except BaseException as error:
                value = inner.throw(error)
            else:
                if sent is not None and given is not None:
                    sent(given)
                value = inner.send(given)
    except StopIteration as stop:
        if returned is not None:
            returned(stop.value)
        return stop.value
    finally:
        inner.close()


async def _async_steps(
    inner: AsyncGenerator[Any, Any], yielded: Check | None, sent: Check | None
) -> AsyncGenerator[Any, Any]:
    try:
        value = await anext(inner)
        while True:
            if yielded is not None:
                yielded(value)
            try:
                given = yield value
            except GeneratorExit:
                raise
            except BaseException as error:
                value = await inner.athrow(error)
            else:
                if sent is not None and given is not None:
                    sent(given)
                value = await inner.asend(given)
    except StopAsyncIteration:
        return
    finally:
        await inner.aclose()
