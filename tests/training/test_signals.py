"""Signals: the step is finished, the checkpoint saved, the exit code right."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from torch import nn

from typedtorch.training import Callback, CheckpointStore, Interrupted, Trainer

from .parts import make_trainer, same, weights

_SPAWN = multiprocessing.get_context("spawn")  # torch for CUDA trains in no forked process


class Send(Callback):
    """Sends this process a signal at a step, as a scheduler would at any moment."""

    def __init__(self, at: int, *numbers: int, hook: str = "on_step") -> None:
        self.at, self.numbers, self.hook = at, numbers, hook

    def _send(self, trainer: Trainer, hook: str) -> None:
        if trainer.step == self.at and hook == self.hook:
            for number in self.numbers:
                os.kill(os.getpid(), number)

    def on_step(self, trainer: Trainer, /) -> None:
        self._send(trainer, "on_step")

    def on_save(self, trainer: Trainer, path: Path, /) -> None:
        self._send(trainer, "on_save")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_stop_signal_finishes_the_step_saves_and_leaves(tmp_path: Path, number: int, code: int) -> None:
    store = CheckpointStore(tmp_path)
    before = signal.getsignal(number)
    trainer = make_trainer(
        steps=9, handle_signals=True, others={"callbacks": [Send(4, number)], "store": store}
    )
    with pytest.raises(Interrupted) as caught:
        trainer.fit()
    assert caught.value.code == code
    assert [s.step for s in store.saved()] == [4]
    assert signal.getsignal(number) == before
    resumed = make_trainer(seed=5, steps=9)
    resumed.load_state_dict(store.latest()[1])
    resumed.fit()
    whole = make_trainer(steps=9)
    whole.fit()
    assert same(weights(resumed), weights(whole))


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT])
def test_a_signal_the_process_was_started_to_ignore_stays_ignored(number: int) -> None:
    """As ``nohup`` does, and a shell for what it runs in the background."""
    before = signal.signal(number, signal.SIG_IGN)
    try:
        trainer = make_trainer(steps=5, handle_signals=True, others={"callbacks": [Send(2, number)]})
        assert trainer.fit().step == 5
        assert signal.getsignal(number) == signal.SIG_IGN
    finally:
        signal.signal(number, before)


def test_a_stop_signal_during_a_save_stops_after_it(tmp_path: Path) -> None:
    store = CheckpointStore(tmp_path)
    send = Send(2, signal.SIGTERM, hook="on_save")
    trainer = make_trainer(
        steps=9, save_every=2, handle_signals=True, others={"callbacks": [send], "store": store}
    )
    with pytest.raises(Interrupted):
        trainer.fit()
    assert [s.step for s in store.saved()] == [2]


def test_a_stop_signal_during_an_evaluation_ends_it_early(tmp_path: Path) -> None:
    rounds: list[int] = []

    def evaluate(model: nn.Module, stop: Callable[[], bool]) -> Mapping[str, float]:
        for i in range(1000):
            if stop():
                return {}
            rounds.append(i)
            if i == 3:
                os.kill(os.getpid(), signal.SIGTERM)
        return {"loss": 0.0}

    store = CheckpointStore(tmp_path)
    trainer = make_trainer(
        steps=9, eval_every=5, handle_signals=True, others={"evaluate": evaluate, "store": store}
    )
    with pytest.raises(Interrupted):
        trainer.fit()
    assert rounds == [0, 1, 2, 3]
    assert [s.step for s in store.saved()] == [5]
    assert trainer.result.evaluations == {}


def test_sigusr1_saves_now_and_goes_on(tmp_path: Path) -> None:
    store = CheckpointStore(tmp_path, keep=5)
    trainer = make_trainer(
        steps=6, handle_signals=True, others={"callbacks": [Send(3, signal.SIGUSR1)], "store": store}
    )
    assert trainer.fit().step == 6
    assert [s.step for s in store.saved()] == [3, 6]


def _signal_twice(folder: Path) -> None:
    callbacks = [Send(2, signal.SIGTERM, signal.SIGTERM)]
    others = {"callbacks": callbacks, "store": CheckpointStore(folder)}
    make_trainer(steps=9, handle_signals=True, others=others).fit()


def test_a_second_signal_ends_the_process_at_once(tmp_path: Path) -> None:
    process = _SPAWN.Process(target=_signal_twice, args=(tmp_path,))
    process.start()
    process.join()
    assert process.exitcode == 143
    assert CheckpointStore(tmp_path).saved() == []


class _Slow(Callback):
    def on_step(self, trainer: Trainer, /) -> None:
        time.sleep(0.01)


def _keeping(folder: Path, **others: Any) -> Trainer:
    return make_trainer(steps=200, save_every=3, others={"store": CheckpointStore(folder), **others})


def _train_slowly(folder: Path) -> None:
    _keeping(folder, callbacks=[_Slow()]).fit()


def test_killed_and_resumed_equals_uninterrupted(tmp_path: Path) -> None:
    process = _SPAWN.Process(target=_train_slowly, args=(tmp_path,))
    process.start()
    deadline = time.monotonic() + 120
    while not (tmp_path / "step-00000009").exists() and time.monotonic() < deadline:
        time.sleep(0.002)
    process.kill()
    process.join()
    resumed = _keeping(tmp_path)
    assert resumed.store is not None
    resumed.load_state_dict(resumed.store.latest()[1])
    assert 9 <= resumed.step < 200
    resumed.fit()
    whole = make_trainer(steps=200)
    whole.fit()
    assert same(weights(resumed), weights(whole))
