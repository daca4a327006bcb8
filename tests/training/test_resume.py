"""Run to N equals run, stop, resume to N, bit for bit; and every item of the state is needed for it."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from typedtorch import optim
from typedtorch.training import (
    Callback,
    CheckpointMismatch,
    CheckpointStore,
    EarlyStop,
    LossSum,
    Trainer,
)
from typedtorch.training.snapshot import ITEMS

from .parts import make_trainer, same, token_batches, token_loss, weights


class NoisyBatches:
    """Batches changed by numpy's and Python's global generators, as an augmentation would."""

    def __init__(self) -> None:
        self.inner = token_batches()

    def __iter__(self) -> NoisyBatches:
        return self

    def __next__(self) -> Any:
        batch = next(self.inner)
        shift = int(np.random.randint(5)) + random.randrange(5)
        return batch._replace(inputs=(batch.inputs + shift) % 61)

    def state_dict(self) -> dict[str, Any]:
        return self.inner.state_dict()

    def load_state_dict(self, state: dict[str, Any], /) -> None:
        self.inner.load_state_dict(state)


class Kick(Callback):
    """Changes the weights by how often it was called: a callback with a state of its own."""

    def __init__(self) -> None:
        self.calls = 0

    def on_step(self, trainer: Trainer, /) -> None:
        self.calls += 1
        with torch.no_grad():
            next(iter(trainer.model.parameters())).add_(0.01 * self.calls)

    def state_dict(self) -> dict[str, Any]:
        return {"calls": self.calls}

    def load_state_dict(self, state: dict[str, Any], /) -> None:
        self.calls = state["calls"]


def full(**changes: Any) -> Trainer:
    """A trainer that uses every item of the state."""
    return make_trainer(
        batches=NoisyBatches(), ema=0.9, accumulate=2, clip=1.0, others={"callbacks": [Kick()]}, **changes
    )


def everything(trainer: Trainer) -> list[Tensor]:
    assert trainer.ema is not None
    return [*weights(trainer), *(t.clone() for t in trainer.ema.averages)]


def through_the_disk(trainer: Trainer, folder: Path) -> dict[str, Any]:
    path = CheckpointStore(folder).save(trainer.step, trainer.state_dict())
    return CheckpointStore(folder).load(path)


@pytest.mark.parametrize("stop", [1, 4, 7])
def test_resumed_equals_uninterrupted_bit_for_bit(tmp_path: Path, stop: int) -> None:
    whole = full(steps=8)
    expected = whole.fit().losses
    first = full(steps=stop)
    losses = first.fit().losses
    state = through_the_disk(first, tmp_path)
    resumed = full(seed=123, steps=8)  # other weights, other generators: all of it has to come from the state
    resumed.load_state_dict(state)
    losses += resumed.fit().losses
    assert losses == expected
    assert same(everything(resumed), everything(whole))
    assert resumed.state_dict()["counters"] == whole.state_dict()["counters"]


OPTIMIZERS: dict[str, Callable[[nn.Module], torch.optim.Optimizer]] = {
    "ours": lambda model: optim.AdamW(model.parameters(), lr=0.05),
    "ours with momentum": lambda model: optim.SGD(model.parameters(), lr=0.05, momentum=0.9),
    "torch fused": lambda model: torch.optim.AdamW(model.parameters(), lr=0.05, fused=True),
    "torch": lambda model: torch.optim.NAdam(model.parameters(), lr=0.05),
}


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_weights_in_another_order_in_memory_resume_bit_for_bit(tmp_path: Path, optimizer: str) -> None:
    """As images' convolutions have them; a file keeps no strides."""
    generator = torch.Generator().manual_seed(3)
    images = [torch.randn(2, 3, 6, 6, generator=generator) for _ in range(6)]

    def made(steps: int) -> Trainer:
        torch.manual_seed(0)
        model = nn.Sequential(nn.Conv2d(3, 5, 3), nn.ReLU(), nn.Conv2d(5, 2, 3))
        model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # torch's annotations lack it
        return make_trainer(
            model=model,
            batches=images,
            loss=lambda model, batch: model(batch).square().mean(),
            optimizer=OPTIMIZERS[optimizer],
            steps=steps,
        )

    whole = made(6)
    whole.fit()
    first = made(3)
    first.fit()
    resumed = made(6)
    resumed.load_state_dict(through_the_disk(first, tmp_path))
    resumed.fit()
    assert same(weights(resumed), weights(whole))
    for param in resumed.model.parameters():
        kept = [v for v in resumed.optimizer.state[param].values() if v.shape == param.shape]
        assert kept
        assert all(value.stride() == param.stride() for value in kept)


def drop(state: dict[str, Any], item: str, fresh: Mapping[str, Any]) -> dict[str, Any]:
    """The state with one item as a new run would have it."""
    group, _, inner = item.partition("/")
    if group == "rng":
        return {**state, "rng": [{**state["rng"][0], inner: fresh["rng"][0][inner]}]}
    if inner:
        return {**state, group: {**state[group], inner: fresh[group][inner]}}
    return {**state, group: fresh[group]}


NEEDED = [
    "model",
    "optimizer",
    "data",
    "ema",
    "callbacks",
    "counters/step",
    "rng/torch",
    "rng/numpy",
    "rng/python",
]


@pytest.mark.parametrize("item", NEEDED)
def test_without_any_single_item_it_diverges_within_two_steps(tmp_path: Path, item: str) -> None:
    whole = full(steps=6)
    whole.fit()
    first = full(steps=4)
    first.fit()
    state = through_the_disk(first, tmp_path)
    fresh = full(seed=123).state_dict()
    # another run's values for what it would not have saved; a copy, for taking it does not copy
    resumed = full(seed=123, steps=6 if item != "counters/step" else 2)
    resumed.load_state_dict(drop(state, item, fresh))
    resumed.fit()
    assert not same(everything(resumed), everything(whole))


def steep(model: nn.Module, batch: Any, /) -> LossSum:
    """So large a loss that float16 holds its gradients only where the scale has come down."""
    total, items = token_loss(model, batch)
    return LossSum(total * 100, items)


def test_without_the_loss_scale_it_diverges_within_two_steps(tmp_path: Path) -> None:
    def scaled(**changes: Any) -> Trainer:
        return make_trainer(precision="fp16", loss=steep, **changes)

    whole = scaled(steps=16)
    whole.fit()
    assert whole.skipped > 2  # it was found by overflowing
    first = scaled(steps=14)
    first.fit()
    state = through_the_disk(first, tmp_path)
    kept = scaled(seed=123, steps=16)
    kept.load_state_dict(state)
    kept.fit()
    assert same(weights(kept), weights(whole))
    without = scaled(seed=123, steps=16)
    without.load_state_dict(drop(state, "scaler", scaled(seed=123).state_dict()))
    without.fit()
    assert not same(weights(without), weights(whole))


def test_without_the_state_of_early_stopping_it_stops_later(tmp_path: Path) -> None:
    values = [3.0, 2.0, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5]

    class Worse:
        def __init__(self, begin: int) -> None:
            self.at = begin

        def __call__(self, model: nn.Module, stop: Callable[[], bool], /) -> dict[str, float]:
            self.at += 1
            return {"loss": values[self.at - 1]}

    def trainer(begin: int = 0, **changes: Any) -> Trainer:
        others = {"callbacks": [EarlyStop(patience=3)], "evaluate": Worse(begin)}
        return make_trainer(eval_every=1, others=others, **changes)

    assert trainer(steps=8).fit().step == 5
    first = trainer(steps=4)
    first.fit()
    state = through_the_disk(first, tmp_path)
    # what is resumed evaluates the step it stands at once more, which does not count twice
    kept = trainer(begin=3, seed=9, steps=8)
    kept.load_state_dict(state)
    stopped = kept.fit().step
    assert stopped == 5
    ended = trainer(begin=4, seed=9, steps=8)
    ended.load_state_dict(kept.state_dict())
    assert ended.fit().stopped == "loss has not improved for 3 evaluations"
    assert ended.step == 5  # what was stopped stays so
    without = trainer(begin=3, seed=9, steps=8)
    without.load_state_dict(drop(state, "callbacks", trainer().state_dict()))
    assert stopped < without.fit().step


@pytest.mark.parametrize("counter", ["items", "skipped", "rollbacks"])
def test_without_a_counter_the_figures_differ(tmp_path: Path, counter: str) -> None:
    def broken(**changes: Any) -> Trainer:
        made, calls = make_trainer(nonfinite="skip", **changes), [0]

        def loss(model: nn.Module, batch: Any, /) -> LossSum:
            total, items = token_loss(model, batch)
            calls[0] += 1
            return LossSum(total * (float("nan") if calls[0] == 2 else 1.0), items)

        made.loss = loss
        return made

    def counted(found: Trainer) -> dict[str, Any]:
        counters: dict[str, Any] = found.state_dict()["counters"]
        return counters

    first = broken(steps=4)
    first.rollbacks = 1
    first.fit()
    state = through_the_disk(first, tmp_path)
    assert state["counters"] == {"step": 4, "items": 4 * 24, "skipped": 1, "rollbacks": 1, "world": 1}
    kept, without = make_trainer(seed=2, steps=5), make_trainer(seed=2, steps=5)
    kept.load_state_dict(state)
    without.load_state_dict(drop(state, f"counters/{counter}", make_trainer().state_dict()))
    kept.fit()
    without.fit()
    assert counted(kept)[counter] != counted(without)[counter]


def test_the_loss_scale_is_part_of_the_state() -> None:
    def scaled(**changes: Any) -> Trainer:
        trainer = make_trainer(precision="fp16", **changes)
        assert trainer.scaler is not None
        return trainer

    first = scaled(steps=2)
    first.fit()
    assert first.scaler is not None
    first.scaler.update(128.0)
    state = first.state_dict()
    assert state["scaler"]["scale"] == 128.0
    resumed = scaled(steps=4)
    resumed.load_state_dict(state)
    assert resumed.scaler is not None
    assert resumed.scaler.get_scale() == 128.0
    with pytest.raises(CheckpointMismatch, match="missing from the state: scaler"):
        scaled().load_state_dict({k: v for k, v in state.items() if k != "scaler"})


@pytest.mark.parametrize("item", [*ITEMS, "ema"])
def test_a_state_without_an_item_is_refused(item: str) -> None:
    trainer = full()
    state = {k: v for k, v in trainer.state_dict().items() if k != item}
    with pytest.raises(CheckpointMismatch, match=f"missing from the state: {item}"):
        full().load_state_dict(state)


def test_items_are_counted() -> None:
    trainer = make_trainer(steps=3)
    trainer.fit()
    assert token_loss(trainer.model, next(token_batches())).items == 24
    assert trainer.state_dict()["counters"]["items"] == 3 * 24
