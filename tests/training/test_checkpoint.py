"""Checkpoints on a disk that fails, under processes that are killed, among files that were altered."""

import errno
import hashlib
import io
import json
import os
import pickle
import resource
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from typedtorch.training import CheckpointError, CheckpointStore, DamagedCheckpoint, load_checkpoint
from typedtorch.training import checkpoint as module
from typedtorch.training.checked import CheckedWriter

State = dict[str, Any]


def state_of(step: int) -> State:
    return {
        "model": {"w": torch.full((50,), float(step)), "b": torch.tensor([step])},
        "optimizer": {"state": {0: {"step": torch.tensor(float(step)), "exp_avg": torch.full((50,), 0.5)}}},
        "counters": {"step": step},
    }


def holds(state: State, step: int) -> bool:
    same = bool((state["model"]["w"] == step).all()) and int(state["optimizer"]["state"][0]["step"]) == step
    return same and state["counters"] == {"step": step}


@pytest.fixture
def store(tmp_path: Path) -> CheckpointStore:
    return CheckpointStore(tmp_path / "checkpoints", keep=3)


def names(store: CheckpointStore) -> list[str]:
    return sorted(p.name for p in store.folder.iterdir())


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


def test_a_crash_while_pruning_loses_nothing(store: CheckpointStore, monkeypatch: pytest.MonkeyPatch) -> None:
    for step in range(3):
        store.save(step, state_of(step))

    def killed(path: object, *args: object, **kwargs: object) -> None:
        if ".removing-" in str(path):
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", killed)
        with pytest.raises(KeyboardInterrupt):
            store.save(3, state_of(3))
    assert any(name.startswith(".removing-") for name in names(store))
    swept = CheckpointStore(store.folder)
    assert [s.step for s in swept.saved()] == [1, 2, 3]
    assert names(swept) == ["step-00000001", "step-00000002", "step-00000003"]
    assert holds(swept.latest()[1], 3)


# --- killed at every boundary


def in_a_child(action: Callable[[], None]) -> int:
    """Run ``action`` in a forked process; its exit status as ``os.wait`` gives it."""
    pid = os.fork()
    if pid == 0:
        try:
            action()
            os._exit(0)
        except BaseException:
            os._exit(70)
    return os.waitpid(pid, 0)[1]


def die_at(boundary: int) -> None:
    """SIGKILL this process right before its ``boundary``-th call that changes what is on the disk."""
    left = [boundary]

    def before(*_: object) -> None:
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left[0] -= 1

    def counted(plain: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            before()
            return plain(*args, **kwargs)

        return call

    for name in ("fsync", "rename", "replace", "mkdir", "rmdir", "unlink"):
        plain = getattr(os, name)
        setattr(os, name, counted(plain))

    def audit(event: str, args: tuple[object, ...]) -> None:
        if event == "open" and "saving" in str(args[0]):
            before()

    sys.addaudithook(audit)


def test_killed_at_every_write_boundary_the_newest_that_holds_is_found(tmp_path: Path) -> None:
    store = CheckpointStore(tmp_path, keep=2)
    store.save(1, state_of(1))
    store.save(2, state_of(2))
    survived_as_new = killed = 0
    for boundary in range(200):

        def save(boundary: int = boundary) -> None:
            die_at(boundary)
            store.save(3, state_of(3))

        status = in_a_child(save)
        if status == 0:
            break
        assert os.WTERMSIG(status) == signal.SIGKILL
        killed += 1
        after = CheckpointStore(tmp_path, keep=2)
        path, state = after.latest()
        assert holds(state, 3 if path.name.startswith("step-00000003") else 2)
        survived_as_new += path.name.startswith("step-00000003")
        assert not [n for n in names(after) if n.startswith(".")]
        for each in after.saved():
            if each.step == 3:
                shutil.rmtree(each.path)
        if not any(s.step == 1 for s in after.saved()):
            CheckpointStore(tmp_path, keep=3).save(1, state_of(1))
    assert killed >= 12  # every file is opened and flushed, the folder made, flushed and renamed, one removed
    assert survived_as_new >= 1


@pytest.mark.slow
def test_killed_two_hundred_times_at_random_moments_none_loads_wrongly(tmp_path: Path) -> None:
    store = CheckpointStore(tmp_path, keep=2)
    store.save(0, state_of(0))
    generator = torch.Generator().manual_seed(0)
    newest = 0
    for attempt in range(1, 201):
        pid = os.fork()
        if pid == 0:
            store.save(attempt, state_of(attempt))
            os._exit(0)
        delay = float(torch.rand((), generator=generator)) * 0.012
        time.sleep(delay)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        path, state = CheckpointStore(tmp_path, keep=2).latest()
        step = state["counters"]["step"]
        assert holds(state, step), path
        assert step >= newest
        newest = step


# --- disks that refuse


def test_a_full_disk_leaves_the_older_ones(store: CheckpointStore) -> None:
    store.save(1, state_of(1))

    def save() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        try:
            store.save(2, {"model": {"w": torch.zeros(100_000)}})
        except CheckpointError as error:
            os._exit(
                33
                if "expected a complete write, found File too large (the disk is full" in str(error)
                else 34
            )

    assert os.WEXITSTATUS(in_a_child(save)) == 33
    assert names(store) == ["step-00000001"]
    assert holds(CheckpointStore(store.folder).latest()[1], 1)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EROFS])
@pytest.mark.parametrize("moment", range(6))
def test_an_error_at_any_flush_leaves_the_older_ones(
    store: CheckpointStore, monkeypatch: pytest.MonkeyPatch, code: int, moment: int
) -> None:
    store.save(1, state_of(1))
    left, plain = [moment], os.fsync

    def fsync(descriptor: int) -> None:
        if left[0] == 0:
            raise OSError(code, os.strerror(code))
        left[0] -= 1
        plain(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fsync)
        with pytest.raises(CheckpointError, match=os.strerror(code)):
            store.save(2, state_of(2))
    path, state = CheckpointStore(store.folder).latest()
    assert holds(state, state["counters"]["step"])
    assert state["counters"]["step"] == 1 or path.name == "step-00000002"  # renamed before the last flush


def test_a_folder_that_can_not_be_written_is_found_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CheckpointError, match=r"file/checkpoints: expected a folder that can be written"):
        CheckpointStore(tmp_path / "file" / "checkpoints")
    with pytest.raises(CheckpointError, match="expected a folder that can be written"):
        CheckpointStore(tmp_path / "file")
    with pytest.raises(CheckpointError, match="expected a folder that can be written"):
        CheckpointStore("/proc/typedtorch")


def test_a_read_only_folder_is_found_at_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, data: bytes) -> int:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(Path, "write_bytes", refuse)  # root may write anywhere, so the refusal is made
    with pytest.raises(CheckpointError, match="found Read-only file system"):
        CheckpointStore(tmp_path)


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


# --- files that were altered


@pytest.fixture
def two(store: CheckpointStore) -> CheckpointStore:
    store.save(1, state_of(1))
    store.save(2, state_of(2))
    return store


FILES = [module.MODEL, module.STATE, module.SKELETON, module.MANIFEST]


def falls_back(store: CheckpointStore) -> None:
    notes: list[str] = []
    again = CheckpointStore(store.folder, note=notes.append)
    path, state = again.latest()
    assert path.name == "step-00000001"
    assert holds(state, 1)
    assert len(notes) == 1
    assert notes[0].startswith("damaged checkpoint passed over:")
    with pytest.raises(DamagedCheckpoint, match="step-00000002"):
        again.load(store.folder / "step-00000002")


@pytest.mark.parametrize("name", FILES)
def test_every_seventh_byte_flipped_is_noticed(two: CheckpointStore, name: str) -> None:
    path = two.folder / "step-00000002" / name
    data = path.read_bytes()
    for where in range(0, len(data), 7):
        path.write_bytes(data[:where] + bytes([data[where] ^ 4]) + data[where + 1 :])
        with pytest.raises((DamagedCheckpoint, CheckpointError)):
            two.load(path.parent)
    path.write_bytes(data[:5] + bytes([data[5] ^ 4]) + data[6:])
    falls_back(two)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.99])
@pytest.mark.parametrize("name", FILES)
def test_a_truncated_or_empty_file_is_noticed(two: CheckpointStore, name: str, share: float) -> None:
    path = two.folder / "step-00000002" / name
    os.truncate(path, int(path.stat().st_size * share))
    falls_back(two)


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_noticed(two: CheckpointStore, name: str) -> None:
    (two.folder / "step-00000002" / name).unlink()
    falls_back(two)


def test_where_none_holds_that_is_an_error_and_never_a_fresh_start(two: CheckpointStore) -> None:
    for saved in two.saved():
        os.truncate(saved.path / module.MODEL, 10)
    with pytest.raises(DamagedCheckpoint, match="expected a checkpoint that holds, found 2 damaged"):
        two.latest()


def test_no_checkpoint_is_an_error(store: CheckpointStore) -> None:
    with pytest.raises(CheckpointError, match="expected a checkpoint, found none"):
        store.latest()


class Bomb:
    """Would write a file where anything unpickled it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return (Path.touch, (self.path,))


@pytest.mark.parametrize("name", FILES)
def test_a_pickle_in_any_file_is_refused_and_not_run(two: CheckpointStore, name: str, tmp_path: Path) -> None:
    bomb = tmp_path / "ran"
    path = two.folder / "step-00000002"
    (path / name).write_bytes(pickle.dumps(Bomb(bomb)))
    with pytest.raises(DamagedCheckpoint):
        two.load(path)
    _sign_again(path)
    with pytest.raises(DamagedCheckpoint):
        two.load(path)
    assert not bomb.exists()


def _sign_again(path: Path) -> None:
    """Make the manifest vouch for whatever the files hold now."""
    files: dict[str, object] = {}
    for name in FILES[:3]:
        writer = CheckedWriter(io.BytesIO())
        writer.write((path / name).read_bytes())
        files[name] = writer.entry()
    try:
        json.loads((path / module.MANIFEST).read_bytes())
    except ValueError:
        return  # the manifest itself is the hostile file
    _sign(path, {"format": module.FORMAT, "step": 2, "files": files})


def _sign(path: Path, body: dict[str, object]) -> None:
    (path / module.MANIFEST).write_text(json.dumps({**body, "sha256": module._digest(body)}))


def test_the_first_format_is_read(two: CheckpointStore) -> None:
    path = two.folder / "step-00000002"
    data = {name: (path / name).read_bytes() for name in FILES[:3]}
    files = {n: {"bytes": len(d), "sha256": hashlib.sha256(d).hexdigest()} for n, d in data.items()}
    _sign(path, {"format": 1, "step": 2, "files": files})
    assert holds(two.load(path), 2)
    for name in FILES[:3]:
        (path / name).write_bytes(data[name][:-1] + bytes([data[name][-1] ^ 1]))
        with pytest.raises(DamagedCheckpoint, match="expected sha256"):
            two.load(path)
        (path / name).write_bytes(data[name])


@pytest.mark.parametrize("manifest", [[], {}, 3, None, {"sha256": ""}, [{"sha256": ""}]])
def test_a_manifest_of_another_kind_is_refused(two: CheckpointStore, manifest: object) -> None:
    path = two.folder / "step-00000002"
    (path / module.MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(DamagedCheckpoint, match=r"manifest\.json: expected"):
        two.load(path)


@pytest.mark.parametrize("files", [None, [], {"model.safetensors": None}, dict.fromkeys(FILES[:3])])
def test_a_signed_manifest_without_entries_is_refused(two: CheckpointStore, files: object) -> None:
    path = two.folder / "step-00000002"
    _sign(path, {"format": module.FORMAT, "step": 2, "files": files})
    with pytest.raises(DamagedCheckpoint, match="step-00000002"):
        two.load(path)


def test_a_manifest_can_not_reach_outside_its_folder(two: CheckpointStore, tmp_path: Path) -> None:
    path = two.folder / "step-00000002"
    body = json.loads((path / module.MANIFEST).read_text())
    body.pop("sha256")
    body["files"]["../../secret"] = body["files"].pop(module.MODEL)
    _sign(path, body)
    with pytest.raises(DamagedCheckpoint, match="secret"):
        two.load(path)


@pytest.mark.parametrize(("version", "hint"), [(99, "written by a newer typedtorch"), (0, "no longer read")])
def test_another_format_says_so(two: CheckpointStore, version: int, hint: str) -> None:
    path = two.folder / "step-00000002"
    body = json.loads((path / module.MANIFEST).read_text())
    body.pop("sha256")
    body["format"] = version
    _sign(path, body)
    with pytest.raises(CheckpointError, match=rf"expected format 1 or 2, found format {version} \({hint}"):
        two.load(path)


def test_no_file_is_world_writable(two: CheckpointStore) -> None:
    for path in two.folder.rglob("*"):
        assert not path.stat().st_mode & 0o002
