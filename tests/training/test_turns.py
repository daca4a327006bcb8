"""Turns of the loop that take no step do nothing twice, and what was gone back from is not the newest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from typedtorch.data import Batch
from typedtorch.training import Callback, CheckpointStore, LossSum, NonFiniteError, Trainer

from .parts import Notes, make_trainer, same, token_batches, token_loss, weights
from .test_trainer_faults import greedy, poison


class Steps(Callback):
    def __init__(self) -> None:
        self.seen: list[int] = []

    def on_step(self, trainer: Trainer, /) -> None:
        self.seen.append(trainer.step)


def watched(folder: Path, **changes: Any) -> tuple[Trainer, list[int], CheckpointStore]:
    steps, store = Steps(), CheckpointStore(folder, keep=99)
    others = {"callbacks": [steps], "store": store, "display": Notes()}
    return make_trainer(others=others, **changes), steps.seen, store


def saved(store: CheckpointStore) -> list[str]:
    return [each.path.name for each in store.saved()]


def test_a_step_without_a_batch_is_none(tmp_path: Path) -> None:
    stream = token_batches()
    few = iter([next(stream) for _ in range(4)])
    trainer, seen, store = watched(tmp_path, batches=few, steps=9, save_every=2)
    assert trainer.fit().stopped == "the batches ended"
    assert seen == [1, 2, 3, 4]
    assert saved(store) == ["step-00000002", "step-00000004"]


def test_a_step_that_is_taken_again_with_less_memory_counts_once(tmp_path: Path) -> None:
    trainer, seen, store = watched(tmp_path, loss=greedy(1), steps=4, halve_on_oom=True, save_every=2)
    trainer.fit()
    assert seen == [1, 2, 3, 4]
    assert saved(store) == ["step-00000002", "step-00000004"]


def test_the_checkpoint_that_was_gone_back_to_is_not_written_again(tmp_path: Path) -> None:
    trainer, seen, store = watched(tmp_path, loss=poison({6}), steps=8, nonfinite="rollback", save_every=4)
    trainer.fit()
    assert seen == [1, 2, 3, 4, 5, 5, 6, 7, 8]
    assert saved(store) == ["step-00000004", "step-00000008"]


def batches() -> list[Batch]:
    stream = token_batches()
    return [next(stream) for _ in range(40)]


def steep(model: nn.Module, batch: Any, /) -> LossSum:
    """Learns far too much from the 23rd batch."""
    total, items = token_loss(model, batch)
    return LossSum(total * (1000 if torch.equal(batch.inputs, batches()[22].inputs) else 1), items)


def spiking(folder: Path, **changes: Any) -> tuple[Trainer, CheckpointStore]:
    """A spike in step 23 of a run that looks at its losses after 24, and saves after each step."""
    settings = {"log_every": 4, "spike": 6.0, "save_every": 1, "nonfinite": "rollback", **changes}
    trainer, _, store = watched(folder, batches=batches(), loss=steep, **{"steps": 28, **settings})
    return trainer, store


def test_a_spike_is_gone_back_from_to_before_it_however_late_it_is_noticed(tmp_path: Path) -> None:
    trainer, _ = spiking(tmp_path)
    trainer.fit()
    assert trainer.rollbacks == 1
    notes: list[str] = trainer.display.notes  # type: ignore[attr-defined]  # the tests' own display
    assert any("loss spike at step 24" in note for note in notes)
    assert any("rolled back to step 20 (step-00000020)" in note for note in notes)
    others = [*batches()[:20], *batches()[24:]]
    spared = make_trainer(batches=others, steps=28)
    spared.fit()
    assert same(weights(trainer), weights(spared))


def test_whoever_resumes_after_a_spike_does_not_find_the_weights_of_it(tmp_path: Path) -> None:
    class Killed(Exception):
        pass

    class KillBack(Notes):
        def note(self, text: str, /) -> None:
            if text.startswith("rolled back"):
                raise Killed

    trainer, store = spiking(tmp_path)
    trainer.display = KillBack()
    with pytest.raises(Killed):
        trainer.fit()
    assert saved(store)[-1] == "step-00000020"
    assert store.latest()[1]["counters"]["step"] == 20


def test_a_spike_with_no_checkpoint_from_before_it_is_an_error(tmp_path: Path) -> None:
    trainer, store = spiking(tmp_path, save_every=23)
    with pytest.raises(NonFiniteError, match=r"loss spike at step 24: .*no checkpoint to go back to"):
        trainer.fit()
    assert saved(store) == ["step-00000023"]


def test_checkpoints_after_one_are_forgotten_or_set_aside(tmp_path: Path) -> None:
    store = CheckpointStore(tmp_path / "here", keep=9)
    paths = [store.save(step, {"model": {}}) for step in (1, 2, 2, 3)]
    store.forget_after(tmp_path / "elsewhere" / "step-00000001")
    store.forget_after(paths[2])
    assert saved(store) == ["step-00000001", "step-00000002", "step-00000002.1"]
    assert [p.name for p in store.set_aside_after(paths[0])] == ["left-step-00000002", "left-step-00000002.1"]
    assert saved(store) == ["step-00000001"]
    store.save(2, {"model": {}})
    assert [p.name for p in store.set_aside_after(paths[0])] == ["left-step-00000002-2"]
    assert store.load(tmp_path / "here" / "left-step-00000002-2") == {"model": {}}
