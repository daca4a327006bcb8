"""Moments follow their parameters by name, as weights do, wherever a module has moved to meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from typedtorch import optim
from typedtorch.training import CheckpointMismatch, CheckpointStore, LoopSettings, Trainer, join
from typedtorch.training.distributed import Parallel

DATA = [torch.randn(8, 4, generator=torch.Generator().manual_seed(i)) for i in range(4)]
Make = Callable[[nn.Module], torch.optim.Optimizer]


class Net(nn.Module):
    """Two layers of one shape, registered in either order."""

    def __init__(self, order: str, tied: bool = False) -> None:
        super().__init__()
        torch.manual_seed(0)
        parts = {name: nn.Linear(4, 4) for name in ("q", "k")}
        for name in order:
            setattr(self, name, parts[name])
        if tied:
            parts["k"].weight = parts["q"].weight

    def forward(self, x: Tensor) -> Tensor:
        q, k = self.get_submodule("q"), self.get_submodule("k")
        found: Tensor = q(x) * 3 + k(x).tanh()
        return found


def plainly(model: nn.Module) -> torch.optim.Optimizer:
    return optim.AdamW(model.parameters(), lr=0.01)


def in_groups(model: nn.Module) -> torch.optim.Optimizer:
    return optim.AdamW(optim.decay_groups(model, 0.1), lr=0.01)


def trainer(model: nn.Module, make: Make, steps: int, parallel: Parallel | None = None) -> Trainer:
    wrapped = parallel.wrap(model) if parallel else model
    optimizer = parallel.optimizer(make(wrapped)) if parallel else make(wrapped)

    def loss(model: nn.Module, batch: Any) -> Tensor:
        return model(batch).pow(2).mean()  # type: ignore[no-any-return]  # a module's call is untyped

    return Trainer(wrapped, loss, DATA, optimizer, LoopSettings(steps=steps), parallel=parallel)


def whole(value: Tensor) -> Tensor:
    found: Tensor = value.full_tensor() if hasattr(value, "full_tensor") else value
    return found.detach().clone()


def named(trained: Trainer) -> dict[str, Tensor]:
    return {name: whole(value) for name, value in trained.snapshot.take()["model"].items()}


@pytest.fixture(params=["none", "zero1", "fsdp"])
def parallel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Parallel]:
    alone = {"RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "localhost", "MASTER_PORT": "0"}
    for name, value in alone.items():
        monkeypatch.setenv(name, value)
    found, _ = join(request.param, torch.device("cpu"))
    with found:
        yield found


@pytest.mark.parametrize("make", [plainly, in_groups])
def test_a_run_goes_on_as_if_its_modules_had_not_been_moved(
    tmp_path: Path, make: Make, parallel: Parallel
) -> None:
    straight = trainer(Net("qk"), make, 8)
    straight.fit()
    first = trainer(Net("qk"), make, 5, parallel)
    first.store = CheckpointStore(tmp_path)
    first.fit()
    again = trainer(Net("kq"), make, 8, parallel)
    path, state = CheckpointStore(tmp_path).latest(whole=not parallel.reads_parts)
    again.load_state_dict(state, path=str(path))
    again.fit()
    found = named(again)
    for name, value in named(straight).items():
        torch.testing.assert_close(found[name], value, rtol=1e-5, atol=1e-6)


def test_a_state_without_names_goes_by_position_unless_its_groups_have_them() -> None:
    for make, number in ((plainly, 0), (in_groups, 1)):  # of the second group each weight is the first
        first = trainer(Net("qk"), make, 5)
        first.fit()
        state = first.detached_state()
        del state["parameters"]
        moved = trainer(Net("kq"), make, 8)
        moved.load_state_dict(state)
        kept = moved.optimizer.state_dict()["state"]
        assert torch.equal(kept[number]["exp_avg"], state["optimizer"]["state"][0]["exp_avg"])


def test_a_tied_parameter_goes_by_any_of_its_names() -> None:
    first = trainer(Net("qk", tied=True), plainly, 5)
    first.fit()
    assert first.state_dict()["parameters"] == ["q.weight", "q.bias", "k.bias"]
    moved_model = Net("kq", tied=True)
    moved = trainer(moved_model, plainly, 8)
    moved.load_state_dict(first.detached_state())
    old, new = first.optimizer.state, moved.optimizer.state
    before, after = dict(first.model.named_parameters()), dict(moved_model.named_parameters())
    for name in ("q.bias", "k.bias"):
        assert torch.equal(old[before[name]]["exp_avg"], new[after[name]]["exp_avg"])


def test_a_parameter_that_has_changed_its_group_is_refused() -> None:
    def swapped(model: nn.Module) -> torch.optim.Optimizer:
        found = optim.decay_groups(model, 0.1, decays=lambda name, p: name in ("q.weight", "k.bias"))
        return optim.AdamW(found, lr=0.01)

    first = trainer(Net("qk"), in_groups, 3)
    first.fit()
    moved = trainer(Net("qk"), swapped, 8)
    with pytest.raises(CheckpointMismatch) as caught:
        moved.load_state_dict(first.state_dict())
    assert "optimizer: k.weight: expected in group 1, found in group 0" in str(caught.value)
    assert "optimizer: k.bias: expected in group 0, found in group 1" in str(caught.value)
