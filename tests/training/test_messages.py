"""What goes from one process to another comes out as it went in, and is no pickle."""

from __future__ import annotations

import pickle
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from typedtorch.training.messages import receive, send
from typedtorch.training.seed import capture_rng, restore_rng
from typedtorch.training.tree import Unserialisable

from .parts import make_trainer, same, weights

CPU = torch.device("cpu")


def through(value: object) -> Any:
    """Sent and received; every move is of bytes or of one number."""
    line: deque[Tensor] = deque()

    def move(data: Tensor) -> None:
        assert data.dtype in (torch.uint8, torch.int64)
        line.append(data.clone())

    send(value, move, CPU)
    found = receive(lambda data: data.copy_(line.popleft()), CPU)
    assert not line
    return found


@pytest.mark.parametrize(
    "value",
    [None, 3, "text", 2.5, float("inf"), [1, (2, None)], {"a": {7: [True]}}, b"bytes", {}, []],
)
def test_plain_values_come_out_as_they_went_in(value: object) -> None:
    assert through(value) == value


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.bool, torch.int64, torch.complex128])
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3)])
def test_tensors_come_out_as_they_went_in(dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    tensor = (torch.rand(shape) * 3).to(dtype)
    found = through({"t": [tensor, tensor.T if tensor.ndim == 2 else tensor]})["t"]
    assert found[0].dtype == dtype
    assert torch.equal(found[0], tensor)
    assert torch.equal(found[1], tensor.T if tensor.ndim == 2 else tensor)


def test_tensors_without_bytes_come_out_without() -> None:
    found = through({"a": torch.empty(1 << 40, 3, device="meta"), "b": torch.ones(2)})
    assert (found["a"].is_meta, tuple(found["a"].shape)) == (True, (1 << 40, 3))
    assert torch.equal(found["b"], torch.ones(2))


def test_a_whole_state_and_its_generators_come_out_as_they_went_in(monkeypatch: pytest.MonkeyPatch) -> None:
    first = make_trainer(steps=3)
    first.fit()

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a pickle")

    with monkeypatch.context() as patched:
        for name in ("dumps", "loads", "Pickler", "Unpickler"):
            patched.setattr(pickle, name, refuse)
        state = through(first.state_dict())
    resumed = make_trainer(seed=4, steps=5)
    resumed.load_state_dict(state)
    resumed.fit()
    whole = make_trainer(steps=5)
    whole.fit()
    assert same(weights(resumed), weights(whole))
    before = capture_rng()
    drawn = torch.rand(2), np.random.rand()
    restore_rng(through(before))
    assert torch.equal(torch.rand(2), drawn[0])
    assert np.random.rand() == drawn[1]


def test_what_is_no_plain_value_is_refused() -> None:
    with pytest.raises(Unserialisable, match="place: a PosixPath cannot be saved"):
        send({"place": Path("x")}, lambda _: None, CPU)
