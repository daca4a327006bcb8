"""Adapters, the learning-rate test, profiles: what is beside the loop."""

from __future__ import annotations

import json
import sys
import types
from pathlib import Path
from typing import Any

import pytest
import torch

from typedtorch.training import (
    Callback,
    ConfigError,
    DeviceMonitor,
    Profile,
    TensorBoard,
    Trainer,
    WeightsAndBiases,
    find_learning_rate,
)
from typedtorch.training.threads import wait_asleep

from .parts import Notes, make_trainer, same, weights


class Recording:
    """Stands in for a writer of either kind."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.made_with = (arguments, options)
        self.calls: list[Any] = []

    def add_scalar(self, name: str, value: float, step: int) -> None:
        self.calls.append((name, value, step))

    def log(self, values: dict[str, float], step: int) -> None:
        self.calls.append((values, step))

    def close(self) -> None:
        self.calls.append("closed")

    finish = close


def module(monkeypatch: pytest.MonkeyPatch, name: str, **members: Any) -> None:
    found = types.ModuleType(name)
    for key, value in members.items():
        setattr(found, key, value)
    monkeypatch.setitem(sys.modules, name, found)


def test_tensorboard_gets_each_number(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    module(monkeypatch, "torch.utils.tensorboard", SummaryWriter=Recording)
    logger = TensorBoard(tmp_path)
    trainer = make_trainer(steps=2, others={"loggers": [logger]})
    losses = trainer.fit().losses
    writer = logger._writer
    assert writer.made_with == ((str(tmp_path),), {})
    assert [c for c in writer.calls if c[0] == "loss"] == [("loss", losses[0], 1), ("loss", losses[1], 2)]
    assert writer.calls[-1] == "closed"
    assert not [c for c in writer.calls if c[0] == "step"]


def test_wandb_is_offline_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Recording] = []

    def init(**options: Any) -> Recording:
        made.append(Recording(**options))
        return made[-1]

    module(monkeypatch, "wandb", init=init)
    logger = WeightsAndBiases("shapes", name="first")
    logger.log({"step": 3, "loss": 1.5, "note": "text", "flag": True})
    logger.close()
    assert made[0].made_with[1] == {"project": "shapes", "mode": "offline", "name": "first"}
    assert made[0].calls == [({"loss": 1.5}, 3), "closed"]


@pytest.mark.parametrize(
    ("make", "package"), [(lambda: TensorBoard("x"), "tensorboard"), (lambda: WeightsAndBiases("x"), "wandb")]
)
def test_a_missing_package_is_named(make: Any, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(ConfigError, match=f"this logger needs {package}: pip install {package}"):
        make()


def test_the_learning_rate_test_leaves_everything_as_it_was() -> None:
    tested = make_trainer(steps=6, ema=0.9)
    found = find_learning_rate(tested, low=1e-4, high=10.0, steps=40)
    assert 1e-4 <= found.suggestion <= 10.0
    assert len(found.rates) == len(found.losses)
    assert found.rates[1] / found.rates[0] == pytest.approx(1e5 ** (1 / 39))
    plain = make_trainer(steps=6, ema=0.9)
    tested_again = make_trainer(steps=6, ema=0.9)
    find_learning_rate(tested_again, low=1e-4, high=10.0, steps=40)
    result = tested_again.fit()
    plain = make_trainer(steps=6, ema=0.9)
    assert result.losses == plain.fit().losses
    assert same(weights(tested_again), weights(plain))


def test_a_range_that_is_none_is_refused() -> None:
    trainer = make_trainer()
    for wrong in ({"low": 0.0}, {"low": 1.0, "high": 0.1}, {"steps": 3}):
        with pytest.raises(ConfigError, match="learning-rate test: expected"):
            find_learning_rate(trainer, **wrong)


@pytest.mark.parametrize("first", [1, 3])
def test_a_profile_holds_the_operators_of_some_steps(tmp_path: Path, first: int) -> None:
    make_trainer(steps=6, others={"callbacks": [Profile(tmp_path / "profile", first=first, steps=2)]}).fit()
    trace = json.loads((tmp_path / "profile" / "trace.json").read_text())
    names = {event.get("name") for event in trace["traceEvents"]}
    assert "aten::embedding" in names
    with pytest.raises(ValueError, match="expected first and steps of at least 1"):
        Profile(tmp_path, steps=0)


def test_a_profile_of_a_run_that_ended_before_is_still_written(tmp_path: Path) -> None:
    make_trainer(steps=4, others={"callbacks": [Profile(tmp_path, first=3, steps=50)]}).fit()
    assert (tmp_path / "trace.json").is_file()


@pytest.mark.parametrize(("stop", "steps"), [(0, 2), (40, 60), (40, 42), (40, 41)])
def test_a_resumed_or_a_short_run_is_profiled_too(tmp_path: Path, stop: int, steps: int) -> None:
    first = make_trainer(steps=max(stop, 1))
    resumed = make_trainer(steps=steps, others={"callbacks": [Profile(tmp_path / "profile")]})
    if stop:
        first.fit()
        resumed.load_state_dict(first.state_dict())
    resumed.fit()
    assert "aten::embedding" in (tmp_path / "profile" / "trace.json").read_text()


def test_a_run_with_nothing_left_to_do_has_no_profile(tmp_path: Path) -> None:
    first = make_trainer(steps=2)
    first.fit()
    resumed = make_trainer(steps=2, others={"callbacks": [Profile(tmp_path / "profile")]})
    resumed.load_state_dict(first.state_dict())
    resumed.fit()
    assert not (tmp_path / "profile").exists()


def test_a_profile_that_can_not_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "profile").write_text("in the way")
    notes = Notes()
    others = {"callbacks": [Profile(tmp_path / "profile")], "display": notes}
    assert make_trainer(steps=12, others=others).fit().step == 12
    assert [note.split(":")[0] for note in notes.notes] == ["the profile could not be written"]


def test_memory_is_logged_with_the_figures() -> None:
    records: list[dict[str, object]] = []

    class Keep:
        def log(self, record: Any, /) -> None:
            records.append(dict(record))

        def close(self) -> None:
            pass

    make_trainer(steps=2, others={"callbacks": [DeviceMonitor()], "loggers": [Keep()]}).fit()
    found = [r["memory"] for r in records if "memory" in r]
    assert len(found) == 2
    assert all(isinstance(n, int) and n > 1 << 20 for n in found)


def test_the_monitor_does_without_nvml(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)
    monitor = DeviceMonitor()
    trainer = make_trainer(steps=1)
    trainer.device = torch.device("cuda")
    monitor.on_start(trainer)
    assert monitor._handle is None


def test_the_monitor_reads_nvml(monkeypatch: pytest.MonkeyPatch) -> None:
    module(
        monkeypatch, "pynvml",
        nvmlInit=lambda: None,
        nvmlDeviceGetHandleByIndex=lambda index: f"device {index}",
        nvmlDeviceGetUtilizationRates=lambda handle: types.SimpleNamespace(gpu=87),
        nvmlDeviceGetPowerUsage=lambda handle: 512_000,
        nvmlDeviceGetMemoryInfo=lambda handle: types.SimpleNamespace(used=7 << 30),
    )  # fmt: skip
    monitor, trainer = DeviceMonitor(), make_trainer(steps=1)
    seen: list[Any] = []
    trainer.device = torch.device("cuda:0")
    monitor.on_start(trainer)
    trainer.device = torch.device("cpu")
    monkeypatch.setattr(trainer.loggers, "log", seen.append)
    monitor.on_log(trainer, {"step": 4})
    assert seen[0]["step"] == 4
    assert (seen[0]["utilisation"], seen[0]["watts"]) == (0.87, 512.0)
    assert seen[0]["device_memory"] == 7 << 30


def test_a_callback_that_overrides_nothing_is_never_called() -> None:
    class Nothing(Callback):
        """Overrides nothing."""

    trainer: Trainer = make_trainer(steps=1, others={"callbacks": [Nothing()]})
    assert trainer.callbacks.on_step == []
    trainer.fit()


def test_a_class_of_ones_own_is_a_callback_by_its_methods() -> None:
    class Counting:
        def __init__(self) -> None:
            self.steps, self.logged = 0, 0

        def on_step(self, trainer: Trainer, /) -> None:
            self.steps += 1

        def on_log(self, trainer: Trainer, record: Any, /) -> None:
            self.logged += 1

    counting = Counting()
    trainer = make_trainer(steps=3, others={"callbacks": [counting]})
    trainer.fit()
    assert (counting.steps, counting.logged) == (3, 3)
    assert trainer.state_dict()["callbacks"] == {}
    again = make_trainer(steps=4, others={"callbacks": [Counting()]})
    again.load_state_dict(trainer.state_dict())
    assert again.fit().step == 4


def test_tensorboard_itself_reads_what_was_written(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import (  # type: ignore[import-not-found, unused-ignore]  # an optional package
        EventAccumulator,
    )

    losses = make_trainer(steps=3, others={"loggers": [TensorBoard(tmp_path)]}).fit().losses
    events = EventAccumulator(str(tmp_path))
    events.Reload()
    found = [(event.step, event.value) for event in events.Scalars("loss")]
    assert found == [(step + 1, pytest.approx(loss)) for step, loss in enumerate(losses)]


def test_wandb_itself_writes_offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_SILENT", "true")
    logger = WeightsAndBiases("shapes", dir=str(tmp_path))
    make_trainer(steps=3, others={"loggers": [logger]}).fit()
    (written,) = tmp_path.glob("wandb/offline-run-*/run-*.wandb")
    assert written.read_bytes().startswith(b":W&B")


def test_what_the_environment_says_about_waiting_stays() -> None:
    for name in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"):
        environment = {name: "x"}
        assert not wait_asleep(environment)
        assert environment == {name: "x"}
