"""Parts of one's own that are not what they should be: said at once, with what was wanted and what came."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from typedtorch.training import (
    Callback,
    CallbackError,
    CheckpointMismatch,
    CheckpointStore,
    ConfigError,
    EarlyStop,
    LoopSettings,
    Trainer,
    find_learning_rate,
    train,
)
from typedtorch.training.protocols import Evaluate, Stop

from .parts import Tiny, make_trainer, token_batches, token_loss


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"steps": "3"}, "steps: expected a whole number, got '3'"),
        ({"steps": 2.5}, "steps: expected a whole number, got 2.5"),
        ({"steps": True}, "steps: expected a whole number, got True"),
        ({"steps": 2, "eval_every": None}, "eval_every: expected a whole number, got None"),
        ({"steps": 2, "clip": "1"}, "clip: expected a number, got '1'"),
        ({"steps": 2, "clip": True}, "clip: expected a number, got True"),
        ({"steps": 2, "background_save": "no"}, "background_save: expected True or False, got 'no'"),
        ({"steps": 2, "handle_signals": "off"}, "handle_signals: expected True or False, got 'off'"),
        ({"steps": 2, "halve_on_oom": 1}, "halve_on_oom: expected True or False, got 1"),
        ({"steps": 2, "spike": float("nan")}, "spike: expected at least 0, got nan"),
        ({"steps": 2, "precision": "fp4"}, "precision: expected fp32, bf16, fp16 or fp8, got 'fp4'"),
    ],
)
def test_settings_of_another_kind_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=f"^{message}$"):
        LoopSettings(**settings)


def test_an_optimizer_of_another_model_is_refused() -> None:
    wanted = "optimizer: expected parameters of the model, but the SGD has none of them"
    with pytest.raises(ConfigError, match=wanted):
        make_trainer(optimizer=lambda _: torch.optim.SGD(Tiny().parameters(), lr=0.1))
    made = make_trainer(optimizer=lambda model: torch.optim.SGD([next(model.parameters())], lr=0.1))
    assert made.fit().step == 8  # some of them are enough: the others may be frozen


class Misspelt(Callback):
    def on_stpe(self, trainer: Trainer) -> None:
        """Nothing calls it."""


class Named(Callback):
    """What is named almost like a hook may help one."""

    def on_step(self, trainer: Trainer, /) -> None:
        self.on_steps()

    def on_steps(self) -> None: ...
    def on_cuda(self) -> None: ...


def test_methods_of_a_callbacks_own_are_left_alone() -> None:
    assert make_trainer(others={"callbacks": [Named()]}).fit().step == 8


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ({"model": nn.Linear}, "model: expected a Module, got the class Linear"),
        ({"optimizer": torch.optim.SGD}, "optimizer: expected an Optimizer, got the class SGD"),
        ({"settings": {"steps": 2}}, "settings: expected LoopSettings, got a dict"),
        ({"loss": None}, "loss: expected a function of the model and a batch, got None"),
        (
            {"loss": nn.CrossEntropyLoss()},
            "loss: .*got CrossEntropyLoss, which takes outputs and targets; .*",
        ),
        ({"loss": nn.functional.mse_loss}, "loss: .*got mse_loss, which takes outputs and targets; .*"),
        (
            {"loss": lambda model: 1.0},
            r"loss: expected a function of the model and a batch, got one of \(model",
        ),
        (
            {"optimizer": torch.optim.LBFGS([nn.Parameter(torch.ones(2))])},
            "optimizer: expected an Optimizer whose step needs no closure, got a LBFGS",
        ),
        ({"store": "runs"}, "store: expected a CheckpointStore or None, got a str"),
        ({"schedule": 0.1}, "schedule: expected a function of the step, or None, got a float"),
        ({"evaluate": {}}, "evaluate: expected a function of the model, or None, got a dict"),
        ({"callbacks": EarlyStop()}, "callbacks: expected several in a list, got an EarlyStop"),
        (
            {"callbacks": [EarlyStop]},
            "callbacks: expected objects with on_start or .*, got the class EarlyStop",
        ),
        ({"callbacks": [Misspelt()]}, "callbacks: Misspelt has on_stpe, .*; is it on_step?"),
        ({"callbacks": [print]}, "callbacks: expected objects with on_start or .*, got a builtin"),
        ({"loggers": [print]}, "loggers: expected objects with log, got a builtin"),
    ],
)
def test_a_part_of_another_kind_is_refused(part: dict[str, Any], message: str) -> None:
    model = Tiny()
    given = {
        "model": model, "loss": token_loss, "batches": token_batches(), "settings": LoopSettings(steps=1),
        "optimizer": torch.optim.SGD(model.parameters(), lr=0.1), **part,
    }  # fmt: skip
    with pytest.raises(TypeError, match=f"^{message}"):
        Trainer(**given)


def test_a_state_that_is_none_is_refused() -> None:
    with pytest.raises(CheckpointMismatch, match="expected the items of a state by name, found a NoneType"):
        make_trainer().load_state_dict(None)  # type: ignore[arg-type]  # what the test is about


def test_train_refuses_a_configuration_and_a_model_that_are_none() -> None:
    with pytest.raises(
        ConfigError, match="config: expected a TrainConfig, or settings as keywords, got a dict"
    ):
        train({"steps": 2})  # type: ignore[arg-type]  # what the test is about
    with pytest.raises(ConfigError, match="model: expected a Module, got a str"):
        train(model="gpt2")  # type: ignore[arg-type]  # likewise


@pytest.mark.parametrize("keep", [0, -1])
def test_a_store_that_would_keep_nothing_is_refused(tmp_path: Path, keep: int) -> None:
    with pytest.raises(ValueError, match=f"keep: expected at least 1 checkpoint, got {keep}"):
        CheckpointStore(tmp_path, keep=keep)


@pytest.mark.parametrize("rate", [-1.0, float("nan"), float("inf"), None, "a", (), torch.tensor(-1.0)])
def test_a_rate_that_is_none_is_refused(rate: Any) -> None:
    model = Tiny()
    trainer = Trainer(
        model, token_loss, token_batches(), torch.optim.SGD(model.parameters(), lr=0.1),
        LoopSettings(steps=5, handle_signals=False), schedule=lambda step: rate if step == 2 else 0.1,
    )  # fmt: skip
    with pytest.raises(
        ConfigError, match="schedule: expected a rate from 0, got " + re.escape(f"{rate!r} for step 2")
    ):
        trainer.fit()
    assert trainer.step == 2


def test_a_loss_that_does_not_depend_on_the_model_is_refused() -> None:
    def loss(model: nn.Module, batch: Any, /) -> Tensor:
        return torch.tensor(1.0)

    with pytest.raises(TypeError, match="expected one that depends on the model's parameters"):
        make_trainer(loss=loss).fit()


@pytest.mark.parametrize("items", [-1, float("nan"), float("inf"), "x", None, torch.ones(3)])
def test_a_count_that_is_none_is_refused(items: Any) -> None:
    def loss(model: nn.Module, batch: Any, /) -> tuple[Tensor, Any]:
        total, _ = token_loss(model, batch)
        return total, items

    with pytest.raises(
        TypeError, match=r"loss: expected a scalar sum and a count from 0, got a sum of shape"
    ):
        make_trainer(loss=loss).fit()


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (None, "evaluate: expected figures by name, got None"),
        (1.0, "evaluate: expected figures by name, got a float"),
        ({"loss": "x"}, "evaluate: expected a number for each figure, got {'loss': 'x'}"),
        ({"loss": torch.ones(2)}, "evaluate: expected a number for each figure, got"),
    ],
)
def test_figures_that_are_none_are_refused(found: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        make_trainer(others={"evaluate": lambda model, stop: found}).fit()


def _loss(model: nn.Module) -> dict[str, float]:
    return {"loss": 1.0}


def _with_options(model: nn.Module, batches: int = 3) -> dict[str, float]:
    return {"loss": float(batches)}


class _Evaluation:
    def __call__(self, model: nn.Module, stop: Stop) -> dict[str, float]:
        return {} if stop() else {"loss": 1.0}


@pytest.mark.parametrize("evaluate", [_loss, _with_options, lambda model: {"loss": 1.0}, _Evaluation()])
def test_an_evaluation_may_take_the_model_alone(evaluate: Evaluate[nn.Module]) -> None:
    trainer = make_trainer(others={"evaluate": evaluate})
    assert trainer.fit().evaluations[8]["loss"] in (1.0, 3.0)


@pytest.mark.parametrize("evaluate", [lambda *, model: {}, lambda model, data, stop: {}])
def test_an_evaluation_of_something_else_is_refused_at_once(evaluate: Any) -> None:
    with pytest.raises(TypeError, match="evaluate: expected a function of the model, or of"):
        make_trainer(others={"evaluate": evaluate})


def test_figures_may_be_tensors_of_one_number() -> None:
    trainer = make_trainer(others={"evaluate": lambda model, stop: {"loss": torch.tensor(2.5)}})
    assert trainer.fit().evaluations == {8: {"loss": 2.5}}


def test_early_stopping_by_a_figure_that_is_not_there_names_those_that_are() -> None:
    others = {"evaluate": lambda model, stop: {"accuracy": 1.0, "f1": 1.0}, "callbacks": [EarlyStop("loss")]}
    with pytest.raises(CallbackError, match=r"expected a figure 'loss', the evaluation gave accuracy, f1"):
        make_trainer(others=others).fit()


def test_batches_that_are_none_are_refused() -> None:
    with pytest.raises(TypeError, match="batches: expected an iterable of batches, got an int"):
        make_trainer(batches=5)  # type: ignore[arg-type]  # on purpose


def test_batches_that_come_once_are_not_used_up_by_a_learning_rate_test() -> None:
    stream = token_batches()
    batches: Iterator[Any] = iter([next(stream) for _ in range(3)])
    trainer = make_trainer(batches=batches, steps=3)
    with pytest.raises(ConfigError, match=r"expected batches that can be drawn again, got a list_iterator"):
        find_learning_rate(trainer)
    assert trainer.fit().step == 3


@pytest.mark.parametrize("optimizer", ["adam", lambda model: "adam"])
def test_an_optimizer_that_is_none_is_refused(optimizer: Any, text: Path) -> None:
    wanted = "optimizer: expected an Optimizer, its class, or a function from the model to one, got a str"
    with pytest.raises(ConfigError, match=wanted):
        train(optimizer=optimizer, data=str(text), device="cpu", layers=1, d_model=16, heads=2, seq=16)
    assert not Path("runs").exists()
