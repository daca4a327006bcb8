"""What a body asks jaxtyping about the call is answered as under ``jaxtyped``."""

# wrong shapes and dtypes are what these tests are made of
# mypy: disable-error-code="shape, dtype, arg-type, no-untyped-call"

from __future__ import annotations

import inspect
from collections.abc import Callable
from random import Random
from typing import Any

import jaxtyping
import pytest
import torch
from beartype import beartype
from jaxtyping import Float, Int, jaxtyped, print_bindings
from torch import Tensor

from runtime.signatures import array, sizes
from typedtorch.runtime import checking, typed
from typedtorch.runtime.bindings import SHOWN, asks

Decorator = Callable[[Any], Any]
Pair = Float[Tensor, "n d"]


class Kinds:
    Row = Float[Tensor, "d"]


def plain(x: Float[Tensor, "n d"], y: Any) -> bool:
    return isinstance(y, Float[Tensor, "n d"])


def expression(x: Float[Tensor, "n d"], y: Any) -> bool:
    return isinstance(y, Float[Tensor, "n+1 2*d"])


def alias(x: Float[Tensor, "n d"], y: Any) -> bool:
    return isinstance(y, Pair)


def several(x: Float[Tensor, "n d"], y: Any) -> bool:
    return isinstance(y, (int, Int[Tensor, "n"], Kinds.Row))


def through_a_module(x: Float[Tensor, "n d"], y: Any) -> bool:
    return isinstance(y, jaxtyping.Shaped[Tensor, "d n"])


def runs(x: Float[Tensor, "*n d"], y: Any) -> bool:
    return isinstance(y, Float[Tensor, "*n 1"])


def argument(x: Float[Tensor, "n d"], y: Any, *rest: int, size: int = 3) -> bool:
    return isinstance(y, Float[Tensor, "n {size}"])


def inside_a_function(x: Float[Tensor, "n d"], y: Any) -> bool:
    def fits(z: Any) -> bool:
        return isinstance(z, Pair)

    return all(fits(z) for z in [x, y])


def binds(x: Float[Tensor, "n d"], y: Any) -> bool:
    return isinstance(y, Float[Tensor, "k d"]) and isinstance(y.T, Float[Tensor, "d k"])


def bound_for_the_result(x: Float[Tensor, "n d"], y: Any) -> Float[Tensor, "k"]:
    isinstance(y, Float[Tensor, "k d"])
    return torch.zeros(3)


def refused_binds_nothing(x: Float[Tensor, "n d"], y: Any) -> Float[Tensor, "k"]:
    isinstance(y, Float[Tensor, "k n"])
    return torch.zeros(3)


def without_annotations(x, y):  # type: ignore[no-untyped-def]
    return isinstance(x, Pair) and isinstance(y, Pair)


def default(y: Any, x: Float[Tensor, "n d"] | None = None) -> bool:
    return isinstance(y, Pair)


BODIES = (
    plain, expression, alias, several, through_a_module, runs, argument, inside_a_function, binds,
    bound_for_the_result, refused_binds_nothing, without_annotations, default,
)  # fmt: skip
SHAPES = ((2, 3), (3, 2), (3, 6), (3,), (2, 1), (1, 3), (2, 3, 1), ())


def _said(function: Any, x: Tensor, y: Any) -> str:
    try:
        found = function(x=x, y=y)
    except TypeError:
        return "refused"
    return "a tensor" if isinstance(found, Tensor) else str(found)


@pytest.mark.parametrize("body", BODIES, ids=lambda body: str(body.__name__))
def test_the_answers_are_those_under_jaxtyped(body: Any) -> None:
    ours, theirs = typed(body), jaxtyped(body, typechecker=beartype)
    seen = set()
    for first in ((2, 3), (3, 2), (2, 3, 3)):
        for second in SHAPES:
            for dtype in (torch.float32, torch.int64):
                x, y = torch.zeros(first), torch.zeros(second, dtype=dtype)
                wanted = _said(theirs, x, y)
                assert _said(ours, x, y) == wanted, f"{first}, {second}"
                seen.add(wanted)
    assert len(seen) > 1


@pytest.mark.parametrize("decorate", [typed, jaxtyped(typechecker=beartype)], ids=["typed", "jaxtyped"])
def test_the_bindings_are_printed(decorate: Decorator, capsys: pytest.CaptureFixture[str]) -> None:
    @decorate
    def show(x: Float[Tensor, "n d"], rest: Float[Tensor, "*more d"]) -> None:
        print_bindings()

    show(torch.zeros(2, 3), torch.zeros(4, 5, 3))
    printed = capsys.readouterr().out.replace("torch.Size([4, 5])", "(4, 5)")
    assert printed.splitlines()[1:] == ["n=2", "d=3", "more=(4, 5)"]


def test_calls_inside_calls_have_their_own_bindings() -> None:
    @typed
    def deep(x: Float[Tensor, "n"], turns: int) -> bool:
        before = isinstance(x, Float[Tensor, "n"])
        if turns:
            assert deep(torch.zeros(turns), turns - 1)
        return before and isinstance(x, Float[Tensor, "n"])

    assert deep(torch.zeros(7), 3)


def test_a_body_that_raises_leaves_nothing_behind() -> None:
    @typed
    def fails(x: Float[Tensor, "n"]) -> None:
        assert isinstance(x, Float[Tensor, "n n"]), "no square"

    with pytest.raises(AssertionError, match="no square"):
        fails(torch.zeros(2))
    assert isinstance(torch.zeros(3), Float[Tensor, "n"])
    assert isinstance(torch.zeros(4), Float[Tensor, "n"])


def test_the_message_of_the_result_knows_who_bound_what() -> None:
    @typed
    def narrow(x: Float[Tensor, "n d"]) -> Float[Tensor, "d"]:
        assert isinstance(x, Pair)
        return x[:, 0]

    with pytest.raises(TypeError, match=r"(?s)axis d: wanted 3, got 2.*d = 3 from argument 'x'"):
        narrow(torch.zeros(2, 3))


def test_methods_know_the_sizes_of_their_instance() -> None:
    @typed(scope="instance")
    class Layer:
        def __init__(self, d: int) -> None:
            self.d = d

        def fits(self, x: Float[Tensor, "n d"], y: Any) -> bool:
            return isinstance(y, Float[Tensor, "d n"])

    assert Layer(3).fits(torch.zeros(2, 3), torch.zeros(3, 2))
    assert not Layer(3).fits(torch.zeros(2, 3), torch.zeros(2, 3))


def test_only_functions_that_ask_pay_for_it() -> None:
    def asks_for_a_class(x: Float[Tensor, "n d"]) -> bool:
        return isinstance(x, Tensor)

    def asks_for_nothing(x: Float[Tensor, "n d"]) -> Any:
        return Pair

    async def later(x: Float[Tensor, "n d"]) -> bool:
        return isinstance(x, Pair)

    assert not any(map(asks, (asks_for_a_class, asks_for_nothing, later, len)))
    assert all(map(asks, BODIES))


def test_a_function_that_does_not_ask_hides_what_its_caller_shows() -> None:
    def helper(y: Tensor) -> bool:
        return isinstance(y, Pair)

    inside = {"helper": helper}

    @typed
    def between(y: Float[Tensor, "n d"]) -> bool:
        return inside["helper"](y)

    @typed
    def outer(x: Float[Tensor, "n d"], y: Tensor) -> tuple[bool, bool, bool]:
        assert isinstance(x, Pair)
        return helper(y), between(y), helper(y)

    assert outer(torch.zeros(2, 3), torch.zeros(4, 5)) == (False, True, False)


@pytest.mark.parametrize("seed", range(20))
def test_random_questions_are_answered_as_under_jaxtyped(seed: int) -> None:
    rng = Random(seed)
    for _ in range(10):
        parts = {f"x{i}": array(rng) for i in range(rng.choice((1, 2, 3)))}
        asked, back = array(rng), array(rng)
        names: dict[str, Any] = {"ASKED": asked.hint}
        exec(f"def f(self, {', '.join(parts)}, n, y): return y[isinstance(y[0], ASKED)]", names)
        body = names["f"]
        hints = {name: part.hint for name, part in parts.items()}
        body.__annotations__ = hints | {"n": int, "return": back.hint}
        ours, theirs = typed(body), jaxtyped(body, typechecker=beartype)
        for _ in range(4):
            env = sizes(rng)
            arguments = {name: part.make(rng, env) for name, part in parts.items()}
            y = [asked.make(rng, env), back.make(rng, env)]
            arguments |= {"self": env["self"], "n": env["n"], "y": y}
            assert _outcome(ours, arguments) == _outcome(theirs, arguments), (
                f"{hints} {asked.hint} {arguments}"
            )


def _outcome(function: Any, arguments: dict[str, Any]) -> str:
    try:
        return f"position {[found is function(**arguments) for found in arguments['y']]}"
    except TypeError:
        return "refused"
    except Exception as error:  # of an axis that has no size, or no value
        return type(error).__name__


def test_without_checks_nothing_is_bound() -> None:
    ours = typed(plain)
    with checking(False):
        assert ours(torch.zeros(2, 3), torch.zeros(5, 7))
    assert not ours(torch.zeros(2, 3), torch.zeros(5, 7))


def test_whom_a_warning_is_for_does_not_depend_on_who_has_asked_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    @typed
    def one(x: Float[Tensor, "n"]) -> int:
        return _frames()

    @typed
    def two(x: Float[Tensor, "n"]) -> list[Float[Tensor, "n"]]:
        return [x] * _frames()

    @typed
    def none(n: Any) -> Any:
        return _frames()

    def depths(ever: bool) -> list[int]:
        monkeypatch.setattr(SHOWN, "ever", ever)
        x = torch.zeros(2)
        return [one(x), len(two(x)), none(x)]

    depths(False)  # a first call writes the checker
    assert depths(False) == depths(True)


def _frames() -> int:
    return len(inspect.stack())


def test_a_compiled_function_is_what_it_is_undecorated() -> None:
    def halve(x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
        if not isinstance(x, Tensor | Pair):
            raise TypeError("no tensor")
        return x / 2

    torch._dynamo.reset()
    assert asks(halve)
    found = torch.compile(typed(halve), backend="eager")(torch.ones(2, 3))
    assert torch.equal(found, torch.full((2, 3), 0.5))
