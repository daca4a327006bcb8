"""jaxtyping's PyTree, whose verdict is jaxtyping's; such annotations exist only where JAX does."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from jaxtyping import AnnotationError, Float, Int, jaxtyped

from typedtorch.runtime import typed

pytest.importorskip("jax")
from beartype import beartype
from jaxtyping import PyTree


def ones(*shape: int) -> Any:
    return np.ones(shape, dtype="float32")


LEAF, MATRIX = Float[np.ndarray, "?n"], Float[np.ndarray, "n d"]
CALLS: list[tuple[list[Any], list[Any]]] = [
    *(([PyTree[Float[np.ndarray, "n"]]], [value]) for value in (
        [ones(3), ones(3)], [ones(3), ones(4)], {"a": ones(3), "b": (ones(3), None)}, ones(2), 3, None, [],
    )),
    *(([PyTree[int, "T"]] * 2, list(pair)) for pair in (
        ((1, (2, 3)), (1, (2, 3))), ((1, 2), (1, 2, 3)), (1, 2), ([1], (1,)),
    )),
    *(([PyTree[LEAF, "T"]] * 2, list(pair)) for pair in (
        ((ones(3), ones(4)), (ones(3), ones(4))), ((ones(3), ones(4)), (ones(3), ones(5))),
        ((ones(3),), (ones(3), ones(5))),
    )),
    *(([PyTree[int, "T"], PyTree[int, "S"], PyTree[int, "S T"]], [(1, 2), {"k": 3}, last]) for last in (
        {"k": (4, 5)}, ({"k": 4}, 5),
    )),
    ([PyTree[int, "S T"]], [1]),
    *(([PyTree[int, "T"], PyTree[int, "... T"]], [(1, 2), last]) for last in (
        [(1, 2), (3, 4)], [(1, 2), 3], (1, 2),
    )),
    *(([PyTree[int, "T"], PyTree[int, "T ..."]], [(1, 2), last]) for last in (([1], (2, 3)), [1], (1, 2))),
    *(([PyTree[float]], [value]) for value in ([1.0, 2], [1.0], ["a"])),
    ([PyTree], [3]),
    ([LEAF], [ones(3)]),
    ([PyTree[LEAF]], [[ones(3)]]),
    ([PyTree[PyTree[LEAF, "T"], "S"]], [[[ones(3)]]]),
    ([PyTree[tuple[int, int]]], [[(1, 2), (3, "a")]]),
    ([PyTree[Float[np.ndarray, "n"]] | int, Float[np.ndarray, "n"]], [[ones(3)], ones(2)]),
    ([PyTree[MATRIX | Int[np.ndarray, "n"], "T"], MATRIX], [(ones(2, 3), ones(3).astype(int)), ones(2, 3)]),
]  # fmt: skip


def verdict(function: Any, values: list[Any]) -> str:
    try:
        function(*values)
    except AnnotationError:
        return "annotation"
    except TypeError:
        return "refused"
    return "accepted"


@pytest.mark.parametrize(("hints", "values"), CALLS)
def test_same_verdict_as_jaxtyping(hints: list[Any], values: list[Any]) -> None:
    names = [f"x{i}" for i in range(len(hints))]
    scope: dict[str, Any] = {}
    exec(f"def f({', '.join(names)}): pass", scope)
    function = scope["f"]
    function.__annotations__ = dict(zip(names, hints, strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = verdict(jaxtyped(function, typechecker=beartype), values)
    assert verdict(typed(function), values) == wanted


def test_message_names_the_leaf() -> None:
    @typed
    def add(x: PyTree[LEAF, "T"], y: PyTree[LEAF, "T"]) -> None: ...  # type: ignore[name-defined]  # a structure

    with pytest.raises(TypeError, match=r"add: argument 'y'<leaf 1>: axis n: wanted 4, got 5"):
        add((ones(3), ones(4)), (ones(3), ones(5)))
