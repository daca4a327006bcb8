"""Checkpoints: what is kept, what is written in the background."""

import errno
import os
from pathlib import Path

import pytest
import torch

from typedtorch.training import CheckpointError, CheckpointStore, load_checkpoint

from .checkpoints import holds, names, state_of


@pytest.fixture
def store(tmp_path: Path) -> CheckpointStore:
    return CheckpointStore(tmp_path / "checkpoints", keep=3)


# --- what is kept


def test_what_is_saved_is_what_is_loaded(store: CheckpointStore) -> None:
    path = store.save(7, state_of(7))
    assert path.name == "step-00000007"
    assert holds(store.load(path), 7)
    assert holds(load_checkpoint(path), 7)


def test_only_the_last_ones_are_kept(store: CheckpointStore) -> None:
    for step in range(6):
        store.save(step, state_of(step))
    assert [s.step for s in store.saved()] == [3, 4, 5]


def test_the_same_step_twice_keeps_both_and_believes_the_later(store: CheckpointStore) -> None:
    store.save(4, state_of(4))
    store.save(4, {**state_of(4), "counters": {"step": 4, "again": True}})
    assert names(store) == ["step-00000004", "step-00000004.1"]
    assert store.latest()[1]["counters"] == {"step": 4, "again": True}


def test_damaged_ones_do_not_push_out_the_one_that_was_just_written(tmp_path: Path) -> None:
    store = CheckpointStore(tmp_path, keep=1)
    store.save(9, state_of(9))
    (tmp_path / "step-00000009" / "manifest.json").write_text("{}")
    store.save(3, state_of(3))  # an earlier step: after going back
    assert holds(store.latest()[1], 3)


def test_state_that_can_not_be_saved_is_named_and_nothing_written(store: CheckpointStore) -> None:
    with pytest.raises(
        CheckpointError, match="expected tensors and plain values, found callbacks/hook: a function"
    ):
        store.save(1, {**state_of(1), "callbacks": {"hook": lambda: 0}})
    assert names(store) == []


def test_a_linked_folder_is_used_and_a_linked_checkpoint_is_not(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "near").symlink_to(tmp_path / "far")
    store = CheckpointStore(tmp_path / "near")
    store.save(1, state_of(1))
    assert (tmp_path / "far" / "step-00000001").is_dir()
    (tmp_path / "far" / "step-00000002").symlink_to(tmp_path / "far" / "step-00000001")
    assert [s.step for s in store.saved()] == [1]


# --- saving in the background


def test_a_background_save_holds_the_state_of_its_moment(store: CheckpointStore) -> None:
    state = state_of(5)
    store.save_in_background(5, state)
    state["model"]["w"].add_(1000)  # the next step, at once
    store.wait()
    assert holds(store.latest()[1], 5)


def test_two_background_saves_share_memory_and_not_values(store: CheckpointStore) -> None:
    for step in (5, 6):
        store.save_in_background(step, state_of(step))
    store.wait()
    assert [holds(store.load(saved.path), saved.step) for saved in store.saved()] == [True, True]
    changed = {**state_of(7), "model": {"w": torch.full((3,), 7.0), "b": torch.tensor([7.0])}}
    store.save_in_background(7, changed)  # other shapes and dtypes under the same names
    store.wait()
    assert store.latest()[1]["model"]["w"].tolist() == [7.0] * 3


def test_a_background_failure_is_raised_by_the_next_save(
    store: CheckpointStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        store.save_in_background(1, state_of(1))
        with pytest.raises(CheckpointError, match="No space left"):
            store.save(2, state_of(2))
    store.save(3, state_of(3))
    assert names(store) == ["step-00000003"]
