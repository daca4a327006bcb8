"""`typed` and jaxtyping with beartype say the same, over random signatures and arguments."""

from __future__ import annotations

import functools
import warnings
from collections import Counter
from collections.abc import Collection, Container, Iterable, Reversible
from random import Random
from typing import Any

import numpy as np
import pytest
import torch
from beartype import beartype
from jaxtyping import AnnotationError, Float, Shaped, jaxtyped

from runtime import signatures
from typedtorch.runtime import CheckError, typed
from typedtorch.runtime.checker import Checker


def verdict(function: Any, arguments: dict[str, Any]) -> str:
    try:
        function(**arguments)
    except AnnotationError:
        return "annotation"
    except TypeError:
        return "refused"
    return "accepted"


def reference(hints: dict[str, Any], arguments: dict[str, Any], result: Any) -> str | None:
    """What jaxtyping with beartype says once it looks at every item; None where it cannot be built."""
    rewritten = {name: signatures.exhaustive(hints[name], arguments[name]) for name in arguments}
    back = signatures.exhaustive(hints["return"], result)
    made = signatures.function({n: h for n, (h, _) in rewritten.items()} | {"return": back[0]}, [back[1]])
    try:
        checked = jaxtyped(made, typechecker=beartype)
    except Exception:
        return None
    return verdict(checked, {name: value for name, (_, value) in rewritten.items()})


def in_full(hints: dict[str, Any], arguments: dict[str, Any], result: Any) -> str:
    """What the full check says, without the generated code."""
    checker = Checker(signatures.function(hints, [result]), {}, "call")

    def check(**given: Any) -> None:
        checker.result(result, checker.arguments(tuple(given.values())))

    return verdict(check, arguments)


@pytest.mark.parametrize("seed", range(30))
def test_same_verdict_as_jaxtyping_with_beartype(seed: int) -> None:
    rng = Random(seed)
    seen: Counter[str] = Counter()
    for _ in range(25):
        seen += compare(rng)
    assert seen["accepted"] > 10  # random arguments reach both answers, or the comparison says little
    assert seen["refused"] > 10


def compare(rng: Random) -> Counter[str]:
    """One signature, several calls."""
    signature, back = signatures.signature(rng), signatures.annotation(rng)
    box: list[Any] = [None]
    hints = signature.hints | {"return": back.hint}
    ours = typed(signatures.function(hints, box, signature.head))
    seen: Counter[str] = Counter()
    for _ in range(4):
        env = signatures.sizes(rng)
        by_position, by_name = signature.given(rng, env)
        box[0] = back.make(rng, env)
        each = {g.name: g.hint for g in (*by_position, *by_name)} | {"return": back.hint}
        arguments = {g.name: g.value for g in (*by_position, *by_name)}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wanted = reference(each, arguments, box[0])
        if wanted is None:
            continue
        called = functools.partial(ours, *(g.value for g in by_position))
        got = verdict(called, {g.name: g.value for g in by_name})
        assert got == wanted, f"{signature.head}\n{each}\n{describe(arguments)} -> {describe(box[0])}"
        assert in_full(each, arguments, box[0]) == wanted
        seen[got] += 1
    return seen


def describe(value: Any) -> str:
    if hasattr(value, "shape"):
        return f"{type(value).__name__} {value.dtype} {tuple(value.shape)}"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{k}: {describe(v)}' for k, v in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"{type(value).__name__}({', '.join(map(describe, value))})"
    return repr(value)


class Sized:
    """A shape, and no dtype."""

    shape = (2,)


class Kinded:
    """A dtype, and no shape."""

    dtype = torch.float32


class Both(Kinded, Sized):
    """All that an array needs."""


ARRAYS = (
    Shaped[Any, "..."], Shaped[Any, "n"], Shaped[Any, "*b"], Float[Any, "..."], Float[Any, "2"],
    Shaped[Sized, "..."], Shaped[Sized, "n"], Float[Kinded, "..."], Shaped[object, "..."],
    Shaped[object, "_"], Float[Both, "..."], Shaped[torch.Tensor, "..."],
    Float[torch.Tensor | None, "n"], Shaped[torch.Tensor | None, "..."], list[Shaped[Any, "..."]],
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    "text", 3, None, Sized(), Kinded(), Both(), memoryview(b"ab"), torch.zeros(2), torch.zeros(2, 2),
    np.zeros(2), torch.zeros(2, dtype=torch.int64), [torch.zeros(2)], [3], [],
)  # fmt: skip


@pytest.mark.parametrize("hint", ARRAYS, ids=str)
def test_what_is_an_array_is_what_jaxtyping_takes_for_one(hint: Any) -> None:
    for value in VALUES:
        for hints in ({"x": hint, "n": int, "return": Any}, {"x": Any, "n": int, "return": hint}):
            arguments = {"x": value, "n": 2}
            made = [typed(signatures.function(hints, [value])), signatures.function(hints, [value])]
            wanted = verdict(jaxtyped(made[1], typechecker=beartype), arguments)
            assert verdict(made[0], arguments) == in_full(hints, arguments, value) == wanted, describe(value)


NESTED = [torch.ones(2), torch.ones(3)]
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # nested tensors are called a prototype
    SHAPELESS: tuple[Any, ...] = (
        torch.ones(()), np.ones(()), torch.nested.nested_tensor(NESTED),
        torch.nested.nested_tensor(NESTED, layout=torch.jagged), [torch.nested.nested_tensor(NESTED)],
    )  # fmt: skip
SHAPELESS_HINTS = (
    Iterable[int], Iterable[torch.Tensor], Iterable[torch.Tensor] | float, Collection[torch.Tensor],
    Reversible[torch.Tensor], Container[torch.Tensor], Iterable, Collection, torch.Tensor,
    Float[torch.Tensor, "a b"], Float[torch.Tensor, "..."], Float[torch.Tensor, "*b"],
    Float[torch.Tensor, "a b"] | Float[torch.Tensor, ""], list[Float[torch.Tensor, "..."]],
)  # fmt: skip


@pytest.mark.parametrize("hint", SHAPELESS_HINTS, ids=str)
def test_tensors_without_axes_or_without_a_shape(hint: Any) -> None:
    for value in (torch.ones(2), *SHAPELESS):  # the first makes the dtype known to the quick check
        hints = {"x": hint, "n": int, "return": Any}
        ours = typed(signatures.function(hints, [value]))
        wanted = verdict(
            jaxtyped(signatures.function(hints, [value]), typechecker=beartype), {"x": value, "n": 2}
        )
        assert verdict(ours, {"x": value, "n": 2}) == wanted, type(value)
        if wanted == "refused":
            with pytest.raises(CheckError, match="argument 'x'"):
                ours(x=value, n=2)


def test_errors_are_type_errors() -> None:
    assert issubclass(CheckError, TypeError)
