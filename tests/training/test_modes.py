"""Trying evaluation before training, and training on the same batches over and over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from typedtorch.training import CheckpointStore, Trainer, find_learning_rate

from .parts import Tiny, make_trainer, same, token_batches, weights


class Asked:
    """An evaluation that counts its rounds and draws from the generator."""

    def __init__(self, rounds: int = 100) -> None:
        self.rounds, self.done, self.training = rounds, 0, list[bool]()

    def __call__(self, model: nn.Module, stop: Callable[[], bool], /) -> Mapping[str, float]:
        self.training.append(model.training)
        for _ in range(self.rounds):
            if stop():
                return {}
            self.done += 1
            torch.rand(1)
        return {"loss": 1.0}


def test_sanity_tries_some_batches_before_the_first_step_and_changes_nothing() -> None:
    asked = Asked()
    order: list[tuple[int, int]] = []

    def loss(model: nn.Module, batch: Any) -> Any:
        order.append((asked.done, model.training))
        return nn.functional.cross_entropy(model(batch.inputs).flatten(0, 1), batch.targets.flatten())

    tried = make_trainer(steps=3, sanity=2, loss=loss, others={"evaluate": asked})
    result = tried.fit()
    assert order[0] == (2, True)
    assert asked.training == [False, False]
    assert result.evaluations == {3: {"loss": 1.0}}  # what was tried is not a figure
    plain = make_trainer(steps=3, loss=loss, others={"evaluate": Asked()})
    assert plain.fit().losses == result.losses
    assert same(weights(plain), weights(tried))


def test_what_is_wrong_with_evaluating_shows_before_the_first_step() -> None:
    def broken(model: nn.Module, stop: Callable[[], bool]) -> Mapping[str, float]:
        raise KeyError("no such column")

    trainer = make_trainer(steps=3, sanity=1, others={"evaluate": broken})
    with pytest.raises(KeyError, match="no such column"):
        trainer.fit()
    assert trainer.step == 0
    assert trainer.model.training


def test_sanity_without_an_evaluation_is_nothing() -> None:
    assert make_trainer(steps=2, sanity=3).fit().step == 2


class Watched:
    """Token batches that say how often they were asked."""

    def __init__(self) -> None:
        self.inner, self.drawn = token_batches(), 0

    def __iter__(self) -> Watched:
        return self

    def __next__(self) -> Any:
        self.drawn += 1
        return next(self.inner)

    def state_dict(self) -> dict[str, Any]:
        return self.inner.state_dict()

    def load_state_dict(self, state: dict[str, Any], /) -> None:
        self.inner.load_state_dict(state)


@pytest.mark.parametrize("accumulate", [1, 2])
def test_overfitting_sees_the_first_batches_only_and_learns_them(accumulate: int) -> None:
    source = Watched()
    trainer = make_trainer(steps=80, overfit=2, accumulate=accumulate, batches=source, model=Tiny(32, p=0.0))
    trainer.schedule = lambda step: 0.05
    losses = trainer.fit().losses
    assert source.drawn == 2
    assert losses[0] > 3.0
    assert losses[-1] < 0.5
    ordinary = make_trainer(steps=80, accumulate=accumulate, model=Tiny(32, p=0.0))
    ordinary.schedule = lambda step: 0.05
    assert losses[-1] < ordinary.fit().losses[-1]


@pytest.mark.parametrize("stop", [1, 2, 5])
def test_an_overfitting_run_resumes_bit_for_bit(stop: int, tmp_path: Path) -> None:
    def make(**changes: Any) -> Trainer:
        return make_trainer(overfit=3, **changes)

    whole = make(steps=8)
    expected = whole.fit().losses
    first = make(steps=stop)
    losses = first.fit().losses
    path = CheckpointStore(tmp_path).save(stop, first.state_dict())
    resumed = make(seed=7, steps=8)
    resumed.load_state_dict(CheckpointStore(tmp_path).load(path))
    assert losses + resumed.fit().losses == expected
    assert same(weights(resumed), weights(whole))


def test_a_run_that_overfitted_continues_on_all_the_data() -> None:
    first = make_trainer(steps=4, overfit=1)
    first.fit()
    resumed = make_trainer(seed=2, steps=6)
    resumed.load_state_dict(first.state_dict())
    assert resumed.source.state_dict()["position"] == 0
    assert resumed.fit().step == 6


def test_a_position_in_other_data_is_refused_in_this_mode_too() -> None:
    state = make_trainer(overfit=1).state_dict()
    other = make_trainer(overfit=1)
    assert other.source.problems({**state["data"], "windows": 7}) == [  # type: ignore[attr-defined]  # Repeated's
        f"data windows: the saved position is for 7, this data has {state['data']['windows']}"
    ]


def test_iterables_can_be_overfitted_too() -> None:
    data = [torch.full((1, 2), i) for i in range(5)]
    seen: list[int] = []

    def loss(model: nn.Module, batch: Any) -> Any:
        seen.append(int(batch[0, 0]))
        return nn.functional.cross_entropy(model(batch[:, :1]).flatten(0, 1), batch[:, 1:].flatten())

    make_trainer(steps=5, overfit=2, batches=data, loss=loss).fit()
    assert seen == [0, 1, 0, 1, 0]


class Frozen(Tiny):
    """A model with a part that is kept as it is."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(8)

    def forward(self, tokens: Tensor) -> Tensor:
        hidden = self.norm(self.dropout(self.embedding(tokens)).flatten(0, 1))
        found: Tensor = self.out(hidden).unflatten(0, tokens.shape)
        return found


@pytest.mark.parametrize("how", ["fit", "evaluated", "rate test"])
def test_what_is_kept_in_evaluation_mode_stays_there(how: str) -> None:
    model = Frozen()
    model.norm.eval().requires_grad_(False)
    modes = [module.training for module in model.modules()]
    others: dict[str, Any] = {"evaluate": Asked(1)} if how == "evaluated" else {}
    trainer = make_trainer(model=model, steps=3, sanity=len(others), others=others)
    if how == "rate test":
        find_learning_rate(trainer, steps=10)
    else:
        trainer.fit()
    assert [module.training for module in model.modules()] == modes
    assert model.norm.running_mean is not None
    assert not model.norm.running_mean.any()


def test_a_model_in_evaluation_mode_is_trained_as_a_whole() -> None:
    model = Frozen().eval()
    make_trainer(model=model, steps=1).fit()
    assert all(module.training for module in model.modules())
