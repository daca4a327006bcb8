"""What gives its results step by step: coroutines, generators, context managers."""

# wrong shapes and dtypes are what these tests are made of
# mypy: disable-error-code="shape, dtype"

from __future__ import annotations

import asyncio
import contextlib
import copy
import inspect
import pickle
from collections.abc import AsyncIterator, Coroutine, Generator, Iterator
from typing import Any

import pytest
import torch
from jaxtyping import Float, Int
from torch import Tensor

from typedtorch.runtime import DtypeCheckError, ShapeCheckError, TypeCheckError, checking, typed
from typedtorch.runtime.checker import Checker

ones = torch.ones


def test_coroutines() -> None:
    @typed
    async def cut(x: Float[Tensor, "n"], by: int) -> Float[Tensor, "n"]:
        await asyncio.sleep(0)
        return x[by:]

    assert inspect.iscoroutinefunction(cut)
    assert asyncio.run(cut(ones(3), 0)).shape == (3,)
    with pytest.raises(ShapeCheckError, match="return value: axis n: wanted 3, got 2"):
        asyncio.run(cut(ones(3), 1))
    waiting = cut(ones(3, 1), 1)  # as of any coroutine, errors come where it is awaited
    with pytest.raises(ShapeCheckError, match="argument 'x': wanted 1 axis, got 2"):
        asyncio.run(waiting)
    with checking(False):
        asyncio.run(cut(ones(3), 1))


@typed
def windows(
    x: Float[Tensor, "n d"], wrong: int = 0
) -> Generator[Float[Tensor, "m d"], Int[Tensor, "k"], str]:
    try:
        got = yield x[:1]
        yield ones(2, x.shape[1] + wrong) + len(got)
    except ValueError:
        yield x
    return "done" if wrong < 2 else 3  # type: ignore[return-value]  # on purpose


def test_generators_yield_receive_and_return() -> None:
    assert inspect.isgeneratorfunction(windows)
    run = windows(ones(3, 2))
    assert next(run).shape == (1, 2)
    assert run.send(ones(5).int()).shape == (2, 2)
    with pytest.raises(StopIteration) as stop:
        next(run)
    assert stop.value.value == "done"


def test_generators_are_refused_step_by_step() -> None:
    with pytest.raises(ShapeCheckError, match="argument 'x'"):
        windows(ones(3))
    run = windows(ones(3, 2), 1)
    next(run)
    with pytest.raises(ShapeCheckError, match="yielded value: axis d: wanted 2, got 3"):
        run.send(ones(5).int())
    run = windows(ones(3, 2))
    next(run)
    with pytest.raises(DtypeCheckError, match="sent value: dtype: wanted Int, got float32"):
        run.send(ones(5))
    run = windows(ones(3, 2), 2)
    next(run)
    run.throw(ValueError())
    with pytest.raises(TypeCheckError, match="return value: wanted str, got int 3"):
        next(run)


def test_close_and_exceptions_reach_a_generator() -> None:
    log: list[str] = []

    @typed
    def logged(x: Float[Tensor, "n"]) -> Generator[Float[Tensor, "n"], None, None]:
        try:
            yield x
            yield x
        except GeneratorExit:
            log.append("closed")
            raise
        finally:
            log.append("left")

    run = logged(ones(2))
    next(run)
    run.close()
    assert log == ["closed", "left"]
    run = logged(ones(2))
    next(run)
    with pytest.raises(KeyError):
        run.throw(KeyError())
    assert log == ["closed", "left", "left"]


def test_context_managers_and_other_wrappers() -> None:
    @contextlib.contextmanager
    @typed
    def inside(x: Float[Tensor, "n"]) -> Iterator[Float[Tensor, "n"]]:
        yield x

    @typed
    @contextlib.contextmanager
    def outside(x: Float[Tensor, "n"]) -> Iterator[Float[Tensor, "n"]]:
        yield x

    @torch.no_grad()
    @typed
    def grad_outside(x: Float[Tensor, "n"]) -> Float[Tensor, "n"]:
        return 2 * x

    @typed
    @torch.no_grad()
    def grad_inside(x: Float[Tensor, "n"]) -> Float[Tensor, "n"]:
        return 2 * x

    for manager in (inside, outside):
        with manager(ones(2)) as value:
            assert value.shape == (2,)
        with pytest.raises(ShapeCheckError), manager(ones(2, 2)):
            pass
    for function in (grad_outside, grad_inside):
        assert not function(ones(2, requires_grad=True)).requires_grad
        with pytest.raises(ShapeCheckError):
            function(ones(2, 2))


def test_async_generators() -> None:
    @typed
    async def stream(x: Float[Tensor, "n"], last: int) -> AsyncIterator[Float[Tensor, "n"]]:
        yield x
        await asyncio.sleep(0)
        yield ones(last)

    async def collect(x: Tensor, last: int) -> int:
        return len([value async for value in stream(x, last)])

    assert inspect.isasyncgenfunction(stream)
    with pytest.raises(ShapeCheckError, match="argument 'x'"):
        stream(ones(2, 2), 3)  # at the call
    assert asyncio.run(collect(ones(2), 2)) == 2
    with pytest.raises(ShapeCheckError, match="yielded value: axis n: wanted 2, got 3"):
        asyncio.run(collect(ones(2), 3))
    with pytest.raises(ShapeCheckError, match="argument 'x'"):
        asyncio.run(collect(ones(2, 2), 3))
    with checking(False):
        assert asyncio.run(collect(ones(2), 3)) == 2


@typed
class Rows:
    """Generators as methods of every kind."""

    width = 2

    def plain(self, x: Float[Tensor, "n d"]) -> Iterator[Float[Tensor, "d"]]:
        yield from x

    @classmethod
    def of_class(cls, x: Float[Tensor, "n d"]) -> Iterator[Float[Tensor, "d"]]:
        yield from x[:, : cls.width]

    @staticmethod
    def of_none(x: Float[Tensor, "n d"]) -> Iterator[Float[Tensor, "d"]]:
        yield from x


@pytest.mark.parametrize("name", ["plain", "of_class", "of_none"])
def test_generator_methods_are_checked_at_the_call(name: str) -> None:
    method: Any = getattr(Rows(), name)
    assert inspect.isgeneratorfunction(method)
    assert list(inspect.signature(method).parameters) == ["x"]
    assert len(list(method(ones(3, 2)))) == 3
    with pytest.raises(ShapeCheckError, match=rf"Rows\.{name}: argument 'x': wanted 2 axes, got 1"):
        method(ones(3))
    with checking(False), pytest.raises(TypeError, match="argument"):
        method()
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        method()


def test_a_checked_generator_is_still_a_generator_function() -> None:
    for made in (windows, Rows.plain, Rows().plain, Rows.of_class):
        assert inspect.isgeneratorfunction(made)
        assert callable(made)
    assert windows.__name__ == "windows"
    assert repr(windows).startswith("<function windows at ")
    run: Any = windows(ones(3, 2))
    assert inspect.isgenerator(run)
    assert run.__qualname__ == "windows"
    assert pickle.loads(pickle.dumps(windows)) is windows
    assert copy.deepcopy(windows) is windows
    assert typed(windows) is windows


def test_names_of_the_instance_hold_in_its_generators() -> None:
    @typed(scope="instance")
    class Table:
        def __init__(self, d: int) -> None:
            self.d = d

        @typed
        def rows(self, x: Float[Tensor, "n d"]) -> Iterator[Float[Tensor, "d"]]:
            yield from x

    assert len(list(Table(2).rows(ones(3, 2)))) == 3
    with pytest.raises(ShapeCheckError, match="axis d: wanted 2, got 4"):
        Table(2).rows(ones(3, 4))


def test_a_coroutine_may_be_annotated_with_what_its_call_returns() -> None:
    async def later(x: Float[Tensor, "n"]) -> Any:
        return len(x)

    later.__annotations__["return"] = Coroutine[None, None, int]
    later = typed(later)
    assert asyncio.run(later(ones(2))) == 2
    with pytest.raises(ShapeCheckError):
        asyncio.run(later(ones(2, 2)))


def test_where_an_axis_cannot_be_computed_a_step_is_not_refused() -> None:
    @typed
    def growing(x: Float[Tensor, "n"]) -> Iterator[Float[Tensor, "n k+1"]]:
        yield ones(2, 3)
        yield ones(3, 3)

    steps = growing(ones(2))
    next(steps)
    with pytest.raises(ShapeCheckError, match="axis n: wanted 2, got 3"):
        next(steps)


@typed
def cut(
    xs: list[Float[Tensor, "n d"]] | None, extra: int = 0
) -> Generator[Float[Tensor, "m d"], Int[Tensor, "m k"] | None, tuple[Float[Tensor, "k d"], int]]:
    got = yield ones(2, 3)
    got = yield ones(4 + extra, 3 + (got is not None and extra))
    return ones(7, 3), 1


@pytest.mark.parametrize("xs", [None, [], [ones(5, 3)], [ones(5, 3), ones(5, 3)]])
def test_what_is_right_is_not_looked_at_twice(
    xs: list[Tensor] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    list(cut(xs))  # the check is written at the first call
    monkeypatch.setattr(Checker, "value", None)
    run = cut(xs)
    assert next(run).shape == (2, 3)
    assert run.send(ones(9, 1).int()).shape == (4, 3)  # m and k are new with each value
    with pytest.raises(StopIteration) as stop:
        next(run)
    assert stop.value.value[1] == 1


def test_a_step_is_held_against_what_the_arguments_bound() -> None:
    def second(xs: list[Tensor] | None, sent: Tensor | None = None) -> Tensor:
        run = cut(xs, 1)
        next(run)
        return next(run) if sent is None else run.send(sent)

    assert second([ones(5, 3)]).shape == (5, 3)
    assert second(None, ones(5, 3).int()).shape == (5, 4)  # nobody has bound d
    with pytest.raises(ShapeCheckError, match=r"cut: yielded value: axis d: wanted 3, got 4") as error:
        second([ones(5, 3)], ones(5, 3).int())
    assert "d = 3 from argument 'xs': float32 (5, 3)" in str(error.value)
    assert "in second" in str(error.value)


def test_a_generator_of_which_nothing_is_asked_is_itself() -> None:
    @typed
    def plain(n: int) -> Any:
        yield n

    frame = plain(1).gi_frame
    assert frame is not None
    assert frame.f_code.co_filename == __file__
    with pytest.raises(TypeCheckError):
        plain("a")  # type: ignore[arg-type]  # on purpose
