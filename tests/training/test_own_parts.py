"""The user's own parts: which settings they leave to do, and what a type checker says of them."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from typedtorch import optim
from typedtorch.data import Batch
from typedtorch.training import (
    ConfigError,
    EarlyStop,
    LoopSettings,
    LossFunction,
    Trainer,
    TrainResult,
    load_checkpoint,
    train,
)

Pair = tuple[Tensor, Tensor]
PAIRS: list[Pair] = [(torch.randn(8, 4), torch.randint(2, (8,)))]


def own(tmp_path: Path, **changes: Any) -> TrainResult:
    settings: dict[str, Any] = {
        "batches": PAIRS, "steps": 4, "device": "cpu", "plot": False, "out": tmp_path / "run",
    }  # fmt: skip
    return train(**{"model": nn.Linear(4, 2), **settings, **changes})


def groups(result: TrainResult) -> list[dict[str, Any]]:
    (newest,) = sorted((result.folder / "checkpoints").iterdir())[-1:]
    found: list[dict[str, Any]] = load_checkpoint(newest)["optimizer"]["param_groups"]
    return found


def rates(result: TrainResult) -> list[float]:
    lines = (result.folder / "metrics.jsonl").read_text().splitlines()
    return [record["lr"] for record in map(json.loads, lines) if "lr" in record]


MODEL = nn.Linear(4, 2)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"optimizer": torch.optim.SGD(MODEL.parameters()), "lr": 0.1}, "lr: expected nothing beside opt"),
        ({"optimizer": lambda m: torch.optim.SGD(m.parameters()), "warmup": 3}, "warmup: expected nothing"),
        ({"optimizer": lambda m: torch.optim.SGD(m.parameters()), "schedule": "cosine"}, "schedule: "),
        ({"optimizer": torch.optim.SGD, "beta1": 0.5}, "beta1: expected nothing .*SGD, which takes no betas"),
        ({"optimizer": functools.partial(torch.optim.SGD, lr=1.0), "lr": 0.1}, "lr: .*partial of SGD, got"),
        ({"layers": 3}, "layers: expected nothing beside model= of your own, which decides it, got 3"),
        ({"data": "notes.txt"}, "data: expected nothing beside batches= of your own"),
    ],
)  # fmt: skip
def test_a_setting_of_a_part_that_is_replaced_is_refused(
    parts: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=message):
        own(tmp_path, **{"model": MODEL, **parts})
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "kind", [torch.optim.SGD, optim.SGD, functools.partial(torch.optim.SGD, momentum=0.9)]
)
def test_a_class_of_optimizers_takes_the_rate_and_follows_the_schedule(
    kind: Callable[..., torch.optim.Optimizer], tmp_path: Path
) -> None:
    result = own(tmp_path, optimizer=kind, lr=0.5, warmup=2, schedule="linear", log_every=1, final_lr=0.0)
    assert rates(result) == pytest.approx([0.25, 0.5, 0.25, 0.0])
    assert [group["weight_decay"] for group in groups(result)] == [0.0, 0.0]  # SGD's own, not AdamW's


def test_what_is_not_given_is_the_default_of_the_class(tmp_path: Path) -> None:
    settings = {"schedule": "constant", "log_every": 1, "weight_decay": 0.25}
    result = own(tmp_path, optimizer=torch.optim.AdamW, **settings)
    assert rates(result) == [1e-3] * 4
    assert [(g["weight_decay"], tuple(g["betas"])) for g in groups(result)] == [
        (0.25, (0.9, 0.999)),
        (0.0, (0.9, 0.999)),
    ]
    stored = json.loads((result.folder / "config.json").read_text())["settings"]
    assert (stored["lr"], stored["beta2"], stored["weight_decay"]) == (1e-3, 0.999, 0.25)


def test_the_built_in_optimizer_and_its_class_with_its_settings_are_the_same(tmp_path: Path) -> None:
    def run(name: str, **changes: Any) -> Tensor:
        torch.manual_seed(0)
        result = own(tmp_path, model=nn.Linear(4, 2), out=tmp_path / name, lr=0.1, **changes)
        return torch.cat([p.detach().flatten() for p in result.model.parameters()])

    given = {"weight_decay": 0.1, "beta1": 0.9, "beta2": 0.95}
    assert torch.equal(run("own", optimizer=optim.AdamW, **given), run("built-in"))


def test_a_resumed_run_keeps_the_rate_that_its_class_was_given(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"optimizer": torch.optim.SGD, "schedule": "constant", "log_every": 1}
    own(tmp_path, lr=0.5, warmup=0, weight_decay=0.25, **settings)
    again = own(tmp_path, resume="auto", **{**settings, "steps": 6})
    assert rates(again) == [0.5] * 6
    assert [group["weight_decay"] for group in groups(again)] == [0.25, 0.0]


def test_a_function_of_the_parameters_is_told_what_it_is_called_with(tmp_path: Path) -> None:
    with pytest.raises(TypeError) as caught:
        own(tmp_path, optimizer=lambda params: torch.optim.SGD(params, lr=0.1))
    assert "the function was called with the model" in caught.value.__notes__[0]


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ({"callbacks": EarlyStop()}, "callbacks: expected several in a list, got an EarlyStop"),
        ({"loggers": print}, "loggers: expected several in a list, got a builtin"),
        ({"console": True}, "console: expected a Console, got a bool"),
        ({"optimizer": torch.optim.Optimizer}, "optimizer: expected an Optimizer, its class, or .*the class"),
        ({"model": nn.LazyLinear(2)}, r"model: .* weight is uninitialised \(call it once on a batch"),
        ({"model": nn.Linear(4, 2, device="meta")}, "model: .* weight is on the meta device, without values"),
        (
            {"model": nn.Linear(4, 2).requires_grad_(False)},
            "model: expected a parameter that requires a grad",
        ),
    ],
)
def test_a_part_that_cannot_train_is_refused(part: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises((ConfigError, TypeError), match=message):
        own(tmp_path, **part)


def test_an_uninitialised_model_is_refused_by_the_trainer_too() -> None:
    model = nn.LazyLinear(2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with pytest.raises(ConfigError, match="weight is uninitialised"):
        Trainer(model, plain_loss, PAIRS, optimizer, LoopSettings(steps=1))
    model(PAIRS[0][0])
    assert Trainer(model, plain_loss, PAIRS, optimizer, LoopSettings(steps=1)).fit().step == 1


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_scripted_model_trains(tmp_path: Path) -> None:
    assert own(tmp_path, model=torch.jit.script(nn.Linear(4, 2)), ema=0.9).step == 4


# --- what a type checker says: an unused ignore is an error of mypy --strict


class Scored(nn.Module):
    """A model with more to it than its outputs."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 2)

    def penalty(self) -> Tensor:
        return self.linear.weight.square().sum()

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.linear(x)
        return y


def plain_loss(model: nn.Module, batch: Pair) -> Tensor:
    return nn.functional.cross_entropy(model(batch[0]), batch[1])


def scored_loss(model: Scored, batch: Pair) -> Tensor:
    return plain_loss(model, batch) + 1e-3 * model.penalty()


def scored_figures(model: Scored) -> dict[str, float]:
    return {"loss": float(model.penalty())}


def scored_optimizer(model: Scored) -> torch.optim.Optimizer:
    return torch.optim.SGD(model.parameters(), lr=0.1)


def loss_of_tokens(model: nn.Module, batch: Batch) -> Tensor:
    return nn.functional.cross_entropy(model(batch.inputs), batch.targets)


def loss_in_words(model: nn.Module, batch: Pair) -> str:
    return "much"


def test_a_loss_may_ask_for_the_model_and_the_batch_it_gets(tmp_path: Path) -> None:
    model = Scored()
    loss: LossFunction[Scored, Pair] = scored_loss
    trainer = Trainer(
        model, loss, PAIRS, scored_optimizer(model), LoopSettings(steps=2), evaluate=scored_figures
    )
    assert trainer.fit().evaluations[2].keys() == {"loss"}
    result = train(
        model=model, loss=scored_loss, batches=PAIRS, optimizer=scored_optimizer, evaluate=scored_figures,
        steps=2, out=tmp_path / "own", device="cpu", plot=False,
    )  # fmt: skip
    assert result.val_loss is not None
    kind = torch.optim.AdamW
    assert (
        train(model=model, batches=PAIRS, optimizer=kind, steps=1, out=tmp_path / "kind", plot=False).step
        == 1
    )


def wrong_for_a_type_checker() -> None:
    model, other, settings = Scored(), nn.Linear(4, 2), LoopSettings(steps=1)
    optimizer = scored_optimizer(model)
    Trainer(model, plain_loss, PAIRS, optimizer, settings)
    Trainer(other, scored_loss, PAIRS, optimizer, settings)  # type: ignore[misc]  # a loss of another model
    Trainer(model, loss_of_tokens, PAIRS, optimizer, settings)  # type: ignore[misc]  # ... of other batches
    Trainer(model, loss_in_words, PAIRS, optimizer, settings)  # type: ignore[arg-type]  # no loss
    train(model=other, loss=scored_loss, batches=PAIRS)  # type: ignore[misc]  # a loss of another model
