"""Checkpoints whose files were altered, by chance or on purpose."""

import hashlib
import json
import os
import pickle
import warnings
from pathlib import Path
from typing import Any

import pytest

from typedtorch.data.files import write_atomically
from typedtorch.training import CheckpointError, CheckpointStore, DamagedCheckpoint
from typedtorch.training import checkpoint as module

from .checkpoints import FILES, holds, sign, sign_again, state_of


@pytest.fixture
def store(tmp_path: Path) -> CheckpointStore:
    return CheckpointStore(tmp_path / "checkpoints", keep=3)


# --- files that were altered


@pytest.fixture
def two(store: CheckpointStore) -> CheckpointStore:
    store.save(1, state_of(1))
    store.save(2, state_of(2))
    return store


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


def test_whoever_asks_for_the_latest_is_warned_of_a_damaged_one(two: CheckpointStore) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert two.latest()[0].name == "step-00000002"
    (two.folder / "step-00000002" / "state.json").unlink()
    with pytest.warns(UserWarning, match=r"passed over: .*step-00000002.state\.json: expected") as caught:
        assert two.latest()[0].name == "step-00000001"
    (name,) = (warning.filename for warning in caught)
    assert name == __file__ or name.startswith("<typed check of CheckpointStore.latest ")  # checked, as here


@pytest.mark.filterwarnings("ignore:damaged checkpoint passed over")
def test_where_none_holds_that_is_an_error_and_never_a_fresh_start(two: CheckpointStore) -> None:
    for saved in two.saved():
        os.truncate(saved.path / module.MODEL, 10)
    with pytest.raises(DamagedCheckpoint, match="expected an undamaged checkpoint, found 2 damaged"):
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
    sign_again(path)
    with pytest.raises(DamagedCheckpoint):
        two.load(path)
    assert not bomb.exists()


def test_the_first_format_is_read(two: CheckpointStore) -> None:
    path = two.folder / "step-00000002"
    data = {name: (path / name).read_bytes() for name in FILES[:3]}
    files = {n: {"bytes": len(d), "sha256": hashlib.sha256(d).hexdigest()} for n, d in data.items()}
    sign(path, {"format": 1, "step": 2, "files": files})
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
    sign(path, {"format": module.FORMAT, "step": 2, "files": files})
    with pytest.raises(DamagedCheckpoint, match="step-00000002"):
        two.load(path)


def test_a_manifest_can_not_reach_outside_its_folder(two: CheckpointStore, tmp_path: Path) -> None:
    path = two.folder / "step-00000002"
    body = json.loads((path / module.MANIFEST).read_text())
    body.pop("sha256")
    body["files"]["../../secret"] = body["files"].pop(module.MODEL)
    sign(path, body)
    with pytest.raises(DamagedCheckpoint, match="secret"):
        two.load(path)


@pytest.mark.parametrize(("version", "hint"), [(99, "written by a newer typedtorch"), (0, "no longer read")])
def test_another_format_says_so(two: CheckpointStore, version: int, hint: str) -> None:
    path = two.folder / "step-00000002"
    body = json.loads((path / module.MANIFEST).read_text())
    body.pop("sha256")
    body["format"] = version
    sign(path, body)
    with pytest.raises(CheckpointError, match=rf"expected format 1 or 2, found format {version} \({hint}"):
        two.load(path)


def test_no_file_is_world_writable_whatever_the_umask_allows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Path] = []
    before, plain = os.umask(0), os.fsync

    def fsync(descriptor: Any) -> None:  # at each moment, temporaries included
        seen.extend(p for p in tmp_path.rglob("*") if "checkpoints" in p.relative_to(tmp_path).parts[:-1])
        assert not [p for p in seen if p.exists() and p.stat().st_mode & 0o002]
        plain(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    try:
        CheckpointStore(tmp_path / "checkpoints").save(1, state_of(1))
        write_atomically(tmp_path / "checkpoints" / "text", b"text")
    finally:
        os.umask(before)
    written = list((tmp_path / "checkpoints").rglob("*"))
    assert len(written) == 6
    assert not [p for p in written if p.stat().st_mode & 0o002]
    assert {p.name for p in seen} > {p.name for p in written if p.name.startswith("s")}
