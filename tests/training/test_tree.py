"""Nested state to JSON and tensors, and back."""

import json
import math
import random
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from typedtorch.training.tree import Unserialisable, decode, encode

plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary()
keys = st.text() | st.integers() | st.tuples(st.integers(), st.text())
trees = st.recursive(
    plain,
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(keys, inner)
        | st.dictionaries(st.text(), inner)
    ),
    max_leaves=20,
)


@given(trees)
def test_plain_values_come_back_the_same(value: Any) -> None:
    skeleton, tensors = encode(value)
    back = decode(json.loads(json.dumps(skeleton, allow_nan=False)), tensors)
    assert repr(back) == repr(value)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_floats_json_does_not_have(value: float) -> None:
    skeleton, _ = encode({"x": value})
    assert repr(decode(json.loads(json.dumps(skeleton, allow_nan=False)), {})) == repr({"x": value})


def test_tensors_and_arrays_come_back_the_same() -> None:
    state = {
        "w": torch.randn(2, 3),
        "n": [np.arange(3, dtype=np.uint32), torch.tensor(True)],
        5: torch.empty(0),
    }
    back = decode(*encode(state))
    assert torch.equal(back["w"], state["w"])  # type: ignore[arg-type]  # a tensor by its key
    assert back["n"][0].dtype == np.uint32
    assert back["n"][0].tolist() == [0, 1, 2]
    assert back["n"][1].dtype == torch.bool
    assert back[5].shape == (0,)


def test_generator_states_come_back_the_same() -> None:
    state = {"numpy": np.random.get_state(), "python": random.getstate(), "torch": torch.get_rng_state()}
    skeleton, tensors = encode(state)
    back = decode(json.loads(json.dumps(skeleton)), tensors)
    assert back["python"] == state["python"]
    np.random.set_state(back["numpy"])
    first = np.random.rand()
    np.random.set_state(state["numpy"])  # type: ignore[arg-type]  # its own state
    assert np.random.rand() == first


def test_tied_tensors_are_stored_once() -> None:
    tied = torch.randn(4)
    skeleton, tensors = encode({"a": tied, "b": tied, "c": tied[:2]})
    assert list(tensors) == ["a", "c"]
    back = decode(skeleton, tensors)
    assert back["a"] is back["b"]
    assert torch.equal(back["c"], tied[:2])


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"model": {"f": lambda: 0}}, "model/f: a function cannot be saved"),
        ({"a": [1, {2, 3}]}, "a/1: a set cannot be saved"),
        ({"a": {1: object()}}, "a/1: an object cannot be saved"),
        ({"a": np.array([object()])}, "a: a ndarray cannot be saved"),
        ({"a": torch.eye(2).to_sparse()}, "a: a Tensor of layout torch.sparse_coo cannot be saved"),
    ],
)
def test_what_can_not_be_saved_is_named(value: object, message: str) -> None:
    with pytest.raises(Unserialisable, match=message):
        encode(value)


@pytest.mark.parametrize("skeleton", [{"$tensor": "gone"}, {"$call": "os.system"}, {"$tuple": 3}])
def test_a_wrong_skeleton_is_an_error(skeleton: object) -> None:
    with pytest.raises((ValueError, TypeError)):
        decode(skeleton, {})
