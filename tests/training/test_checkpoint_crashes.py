"""Checkpoints under processes that are killed and on disks that refuse."""

import errno
import os
import resource
import shutil
import signal
import time
from pathlib import Path

import pytest
import torch

from typedtorch.training import CheckpointError, CheckpointStore

from .checkpoints import die_at, holds, in_a_child, names, state_of


@pytest.fixture
def store(tmp_path: Path) -> CheckpointStore:
    return CheckpointStore(tmp_path / "checkpoints", keep=3)


def test_killed_at_every_boundary_of_pruning_nothing_that_is_kept_is_lost(tmp_path: Path) -> None:
    """Three old ones are removed, one of them with a folder inside; killed before each rename and removal."""
    killed, left = 0, set()
    for boundary in range(200):
        place = tmp_path / str(boundary)
        store = CheckpointStore(place, keep=9)
        for step in range(4):
            store.save(step, state_of(step))
        shards = place / "step-00000001" / "shards"
        shards.mkdir()
        (shards / "__0_0.distcp").write_bytes(b"part")

        def prune(boundary: int = boundary, place: Path = place) -> None:
            plain = CheckpointStore._prune

            def armed(self: CheckpointStore, newest: Path) -> None:
                die_at(boundary)
                plain(self, newest)

            CheckpointStore._prune = armed  # type: ignore[method-assign]  # of this child alone
            CheckpointStore(place, keep=2).save(4, state_of(4))

        status = in_a_child(prune)
        assert holds(store.latest()[1], 4)  # before anything is swept
        left.add(tuple(each.step for each in store.saved()))
        after = CheckpointStore(place, keep=2)
        assert not [name for name in names(after) if name.startswith(".")]
        for each in after.saved():  # whatever has a final name is whole
            assert holds(after.load(each.path), each.step)
        assert [each.step for each in after.saved()][-2:] == [3, 4]
        after.save(5, state_of(5))  # and the next prune does what this one could not
        assert [each.step for each in after.saved()] == [4, 5]
        if status == 0:
            break
        assert os.WTERMSIG(status) == signal.SIGKILL
        killed += 1
    assert killed == 3 * (1 + 4 + 1) + 2  # renamed, four files, the folder; and one with a file in a folder
    assert left == {(0, 1, 2, 3, 4), (1, 2, 3, 4), (2, 3, 4), (3, 4)}


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
    began = time.perf_counter()
    store.save(0, state_of(0))
    takes = time.perf_counter() - began  # on a machine with other work it is longer and shorter by turns
    generator = torch.Generator().manual_seed(0)
    newest, torn, whole = 0, 0, 0
    for attempt in range(1, 201):
        about_to, told = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.write(told, b"!")
            store.save(attempt, state_of(attempt))
            os._exit(0)
        os.read(about_to, 1)
        time.sleep(float(torch.rand((), generator=generator)) * 1.5 * takes)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(about_to)
        os.close(told)
        torn += any(name.startswith(".saving-") for name in names(store))
        path, state = CheckpointStore(tmp_path, keep=2).latest()
        step = state["counters"]["step"]
        assert holds(state, step), path
        assert step >= newest
        whole += step > newest
        takes *= 0.9 if step > newest else 1.1
        newest = step
    assert torn >= 10  # killed in the middle of it
    assert whole >= 10


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
