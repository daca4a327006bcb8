"""The loop: exact accumulation, precision, callbacks, figures, evaluation."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from typedtorch.data import Batch
from typedtorch.training import (
    Callback,
    CallbackError,
    CheckpointStore,
    ConfigError,
    EarlyStop,
    JsonLines,
    LoopSettings,
    LossSum,
    Trainer,
)
from typedtorch.training.loggers import read_records, rewind

from .parts import Notes, Tiny, ignoring_loss, make_trainer, ragged, same, token_batches, token_loss, weights

# --- gradients


@pytest.mark.parametrize("as_tensor", [True, False])
def test_accumulated_micro_batches_equal_one_batch_however_uneven(as_tensor: bool) -> None:
    whole = ragged(next(token_batches(batch=4)), [6, 1, 2, 0])
    parts = [Batch(whole.inputs[i : i + 1], whole.targets[i : i + 1]) for i in range(4)]

    def loss(model: nn.Module, batch: Any) -> LossSum:
        total, items = ignoring_loss(model, batch)
        return LossSum(total, items if as_tensor else int(items))

    def trained(batches: list[Batch], accumulate: int) -> tuple[Trainer, float]:
        model = Tiny(p=0.0).double()
        trainer = make_trainer(model=model, batches=batches, loss=loss, accumulate=accumulate, steps=3)
        return trainer, trainer.fit().losses[0]

    torch.manual_seed(0)
    one, loss_one = trained([whole], 1)
    torch.manual_seed(0)
    four, loss_four = trained(parts, 4)
    assert math.isclose(loss_one, loss_four, rel_tol=1e-12)
    assert all(
        torch.allclose(a, b, rtol=1e-9, atol=1e-12) for a, b in zip(weights(one), weights(four), strict=True)
    )


def test_a_loss_in_float64_is_divided_by_its_count_in_float64() -> None:
    whole = ragged(next(token_batches(batch=4)), [6, 1, 2, 0])
    parts = [Batch(whole.inputs[i : i + 1], whole.targets[i : i + 1]) for i in range(4)]
    model = Tiny(p=0.0).double()
    joint = ignoring_loss(model, whole)
    gradients = torch.autograd.grad(joint.total / joint.items, list(model.parameters()))
    wanted = [p.detach() - 0.05 * g for p, g in zip(model.parameters(), gradients, strict=True)]
    made = make_trainer(
        model=model, batches=parts, loss=ignoring_loss, accumulate=4, steps=1,
        optimizer=lambda m: torch.optim.SGD(m.parameters(), lr=0.05),
    )  # fmt: skip
    made.fit()
    for found, there in zip(weights(made), wanted, strict=True):
        torch.testing.assert_close(found, there, rtol=1e-13, atol=1e-15)


def test_a_mean_of_means_would_be_something_else() -> None:
    whole = ragged(next(token_batches(batch=2)), [6, 1])
    model = Tiny(p=0.0)
    joint = ignoring_loss(model, whole)
    means = [
        part.total / part.items
        for i in range(2)
        for part in [ignoring_loss(model, Batch(whole.inputs[i : i + 1], whole.targets[i : i + 1]))]
    ]
    assert abs((joint.total / joint.items).item() - torch.stack(means).mean().item()) > 1e-3


def test_a_plain_mean_loss_trains_too() -> None:
    def loss(model: nn.Module, batch: Any) -> Tensor:
        total, items = token_loss(model, batch)
        return total / items

    a, b = make_trainer(loss=loss, model=None), None
    a.fit()
    b = make_trainer()
    b.fit()
    assert all(torch.allclose(x, y, atol=1e-5) for x, y in zip(weights(a), weights(b), strict=True))


@pytest.mark.parametrize("found", [torch.ones(3), "x", (1, 2, 3)])
def test_a_loss_of_another_form_is_refused(found: object) -> None:
    with pytest.raises(TypeError, match=r"loss: expected a scalar tensor or a pair \(sum, count\)"):
        make_trainer(loss=lambda model, batch: found).fit()


def test_the_step_is_that_of_a_plain_loop() -> None:
    trainer = make_trainer(steps=5, clip=0.5)
    trainer.fit()
    torch.manual_seed(0)
    model = Tiny()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.05, fused=True)
    batches = token_batches()
    for step in range(5):
        for group in optimizer.param_groups:
            group["lr"] = 0.05 / (1 + step)
        total, items = token_loss(model, next(batches))
        (total / items).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        optimizer.zero_grad()
    assert all(
        torch.allclose(a, b, atol=1e-6) for a, b in zip(weights(trainer), model.parameters(), strict=True)
    )


def test_a_groups_own_scale_multiplies_the_schedule() -> None:
    def groups(model: nn.Module) -> torch.optim.Optimizer:
        params: list[Tensor] = list(model.parameters())
        made: list[dict[str, Any]] = [{"params": params[:1], "lr_scale": 0.1}, {"params": params[1:]}]
        return torch.optim.SGD(made, lr=1.0)

    trainer = make_trainer(optimizer=groups, steps=1)
    trainer.fit()
    assert [g["lr"] for g in trainer.optimizer.param_groups] == [pytest.approx(0.005), 0.05]


def two_groups(**options: Any) -> Callable[[nn.Module], torch.optim.Optimizer]:
    def make(model: nn.Module) -> torch.optim.Optimizer:
        params: list[Tensor] = list(model.parameters())
        made: list[dict[str, Any]] = [{"params": params[:1], **options}, {"params": params[1:]}]
        return torch.optim.SGD(made, lr=1.0)

    return make


def test_a_groups_own_rate_is_kept_in_proportion_and_over_a_resume() -> None:
    trainer = make_trainer(optimizer=two_groups(lr=0.01), steps=2)
    trainer.fit()
    assert [g["lr"] for g in trainer.optimizer.param_groups] == [pytest.approx(0.00025), 0.025]
    again = make_trainer(optimizer=two_groups(lr=0.01), steps=4)
    again.load_state_dict(trainer.detached_state())
    again.fit()
    assert [g["lr"] for g in again.optimizer.param_groups] == [pytest.approx(0.000125), 0.0125]


def test_a_state_from_before_scales_leaves_the_own_rate_in_proportion() -> None:
    trainer = make_trainer(optimizer=two_groups(lr=0.01), steps=1)
    trainer.fit()
    state = trainer.detached_state()
    del state["optimizer"]["param_groups"][0]["lr_scale"]
    again = make_trainer(optimizer=two_groups(lr=0.01), steps=2)
    again.load_state_dict(state)
    again.fit()
    assert [g["lr"] for g in again.optimizer.param_groups] == [pytest.approx(0.00025), 0.025]


def test_rates_of_groups_that_say_nothing_of_the_schedule_are_refused() -> None:
    def groups(model: nn.Module) -> torch.optim.Optimizer:
        params: list[Tensor] = list(model.parameters())
        made: list[dict[str, Any]] = [{"params": params[:1], "lr": 0.5}, {"params": params[1:], "lr": 0.1}]
        return torch.optim.SGD(made, lr=1.0)

    with pytest.raises(ConfigError, match=r"schedule: expected .*lr_scale.*got the rates 0\.5, 0\.1"):
        make_trainer(optimizer=groups)


@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_half_precision_computes_in_half_and_keeps_full_weights(precision: str) -> None:
    seen = []

    def loss(model: nn.Module, batch: Any) -> LossSum:
        logits = model(batch.inputs)
        seen.append(logits.dtype)
        total = nn.functional.cross_entropy(
            logits.float().flatten(0, 1), batch.targets.flatten(), reduction="sum"
        )
        return LossSum(total, batch.targets.numel())

    trainer = make_trainer(loss=loss, precision=precision, steps=20)
    losses = trainer.fit().losses
    assert set(seen) == {torch.bfloat16 if precision == "bf16" else torch.float16}
    assert {p.dtype for p in trainer.model.parameters()} == {torch.float32}
    assert losses[-1] < losses[0]


def test_an_overflow_in_half_precision_halves_the_scale_and_goes_on() -> None:
    trainer = make_trainer(precision="fp16", steps=30, patience=30)
    assert trainer.scaler is not None
    trainer.scaler.load_state_dict({**trainer.scaler.state_dict(), "scale": 2.0**24})
    result = trainer.fit()
    assert result.step == 30
    assert 0 < trainer.skipped < 20
    assert trainer.scaler.get_scale() < 2.0**24


# --- callbacks, loggers, evaluation


class Calls(Callback):
    """Writes down what it is called with."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def on_start(self, trainer: Trainer, /) -> None:
        self.seen.append("start")

    def on_step(self, trainer: Trainer, /) -> None:
        self.seen.append(f"step {trainer.step}")

    def on_evaluate(self, trainer: Trainer, figures: Mapping[str, float], /) -> None:
        self.seen.append(f"evaluate {figures['loss']:.1f}")

    def on_save(self, trainer: Trainer, path: Path, /) -> None:
        self.seen.append(f"save {path.name}")

    def on_end(self, trainer: Trainer, /) -> None:
        self.seen.append("end")


def test_callbacks_are_called_in_order(tmp_path: Path) -> None:
    calls = Calls()
    make_trainer(
        steps=3,
        eval_every=2,
        save_every=2,
        others={
            "callbacks": [calls],
            "store": CheckpointStore(tmp_path),
            "evaluate": lambda model, stop: {"loss": 1.0},
        },
    ).fit()
    assert calls.seen == [
        "start", "step 1", "step 2", "evaluate 1.0", "save step-00000002", "step 3", "evaluate 1.0",
        "save step-00000003", "end",
    ]  # fmt: skip


@pytest.mark.parametrize("hook", ["on_start", "on_step", "on_log", "on_evaluate", "on_end"])
def test_an_error_in_a_callback_is_attributed(hook: str) -> None:
    def fail(self: Callback, *_: Any) -> None:
        raise KeyError("oops")

    broken = type("Broken", (Callback,), {hook: fail})()
    trainer = make_trainer(
        steps=2, others={"callbacks": [broken], "evaluate": lambda model, stop: {"loss": 1.0}}
    )
    with pytest.raises(
        CallbackError, match=rf"callback Broken\.{hook} failed at step \d: KeyError: 'oops'"
    ) as caught:
        trainer.fit()
    assert isinstance(caught.value.__cause__, KeyError)


def test_a_callback_can_end_the_run() -> None:
    values = iter([3.0, 2.0, 2.5, 2.6, 1.0])
    trainer = make_trainer(
        steps=50, eval_every=1,
        others={"callbacks": [EarlyStop(patience=2)], "evaluate": lambda model, stop: {"loss": next(values)}},
    )  # fmt: skip
    result = trainer.fit()
    assert (result.step, result.stopped) == (4, "loss has not improved for 2 evaluations")


def test_a_failing_logger_is_reported_once_and_does_not_stop_anything(tmp_path: Path) -> None:
    class Broken:
        def log(self, record: Mapping[str, object], /) -> None:
            raise OSError(28, "No space left on device")

        def close(self) -> None:
            raise RuntimeError("cannot close")

    notes = Notes()
    good = JsonLines(tmp_path / "m.jsonl")
    trainer = make_trainer(steps=4, others={"loggers": [Broken(), good], "display": notes})
    trainer.fit()
    assert [n for n in notes.notes if "Broken" in n] == [
        "logger Broken failed, training goes on: OSError: [Errno 28] No space left on device"
    ]
    assert trainer.loggers.failures == {"Broken": 5}
    assert [r["step"] for r in read_records(tmp_path / "m.jsonl")] == [1, 2, 3, 4]


def test_a_disk_that_fills_under_the_logger_does_not_stop_anything() -> None:
    notes = Notes()
    trainer = make_trainer(steps=3, others={"loggers": [JsonLines("/dev/full")], "display": notes})
    assert trainer.fit().step == 3
    assert "No space left on device" in notes.notes[0]


def test_records_hold_no_nan_and_survive_a_cut(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    logger = JsonLines(path)
    for step in range(1, 5):
        logger.log({"step": step, "loss": math.inf if step == 2 else 1.0})
    logger.close()
    assert json.loads(path.read_text().splitlines()[1]) == {"step": 2, "loss": None}
    path.write_text(path.read_text() + '{"step": 5, "lo')
    assert [r["step"] for r in read_records(path)] == [1, 2, 3, 4]
    rewind(path, 2)
    assert path.read_text() == '{"step": 1, "loss": 1.0}\n{"step": 2, "loss": null}\n'


def test_evaluation_runs_without_gradients_and_draws_nothing() -> None:
    def evaluate(model: nn.Module, stop: Any) -> dict[str, float]:
        assert not torch.is_grad_enabled()
        assert not model.training
        return {"loss": float(torch.rand(()))}

    with_evaluation = make_trainer(eval_every=1, others={"evaluate": evaluate})
    with_evaluation.fit()
    without = make_trainer()
    without.fit()
    assert same(weights(with_evaluation), weights(without))
    assert len(with_evaluation.result.evaluations) == 8
    assert with_evaluation.model.training


def test_averaged_weights_are_evaluated_and_the_others_trained_on() -> None:
    seen: list[Tensor] = []

    def evaluate(model: nn.Module, stop: Any) -> dict[str, float]:
        seen.append(next(iter(model.parameters())).detach().clone())
        return {"loss": 0.0}

    trainer = make_trainer(ema=0.5, steps=2, others={"evaluate": evaluate})
    start = weights(trainer)[0]
    trainer.fit()
    plain = make_trainer(steps=1)
    plain.fit()
    one, two = weights(plain)[0], weights(trainer)[0]
    assert torch.allclose(seen[0], 0.25 * start + 0.25 * one + 0.5 * two, atol=1e-6)


def test_figures_say_what_happened() -> None:
    trainer = make_trainer(steps=7, log_every=3)
    result = trainer.fit()
    assert [f.step for f in result.figures] == [3, 6, 7]
    assert len(result.losses) == 7
    assert result.figures[0].loss == pytest.approx(sum(result.losses[:3]) / 3)
    assert [f.items for f in result.figures] == [72, 144, 168]
    assert result.figures[-1].lr == pytest.approx(0.05 / 7)


def test_batches_that_end_end_the_run() -> None:
    result = make_trainer(batches=iter([next(token_batches())] * 3), steps=10).fit()
    assert (result.step, result.stopped) == (3, "the batches ended")
    with pytest.raises(ValueError, match="batches: list gave no batch"):
        make_trainer(batches=[]).fit()


def test_a_background_save_is_the_state_of_its_step(tmp_path: Path) -> None:
    store = CheckpointStore(tmp_path, keep=5)
    trainer = make_trainer(steps=6, save_every=2, background_save=True, others={"store": store})
    trainer.fit()
    assert [s.step for s in store.saved()] == [2, 4, 6]
    resumed = make_trainer(seed=9, steps=6)
    resumed.load_state_dict(store.load(store.saved()[0].path))
    resumed.fit()
    assert same(weights(resumed), weights(trainer))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"steps": 0}, "steps: expected at least 1, got 0"),
        ({"steps": 1, "accumulate": 0}, "accumulate: expected at least 1"),
        ({"steps": 1, "clip": 0.0}, "clip: expected a number above 0"),
        ({"steps": 1, "clip": math.nan}, "clip: expected a number above 0"),
        ({"steps": 1, "ema": 1.0}, "ema: expected a decay from 0 to 1"),
        ({"steps": 1, "nonfinite": "ignore"}, "nonfinite: expected raise, skip or rollback, got 'ignore'"),
        ({"steps": 1, "eval_every": -1}, "eval_every: expected at least 0"),
    ],
)
def test_settings_out_of_range_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        LoopSettings(**settings)
    if "precision" not in settings:
        with pytest.raises(ConfigError, match="precision: expected fp32, bf16, fp16 or fp8"):
            make_trainer(precision="fp4")
