"""What several processes wrote, read by one: verified, joined, and nothing in it believed or run."""

from __future__ import annotations

import io
import json
import os
import pickle
from collections.abc import Callable
from pathlib import Path, PosixPath
from typing import Any

import pytest
import torch

from typedtorch.training import CheckpointStore, DamagedCheckpoint, consolidate, load_checkpoint
from typedtorch.training import checkpoint as module
from typedtorch.training.shards import INDEX, KEY, Shards, entries, write_part

FILES = [INDEX, "__0_0.distcp"]


def tensors() -> dict[str, torch.Tensor]:
    return {
        "model/w": torch.arange(300.0).view(30, 10), "model/n": torch.tensor(3),
        "optimizer/0/exp_avg": torch.full((30, 10), 0.5), "optimizer/0/step": torch.tensor(7.0),
        "ema/w": torch.ones(30, 10, dtype=torch.bfloat16),
    }  # fmt: skip


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A checkpoint as processes write it, by one of them."""
    store = CheckpointStore(tmp_path / "checkpoints")
    place = store.place_for_shards(4)
    with torch.random.fork_rng():
        write_part(place, tensors())
    index = {"world": 1, "files": entries(place)}
    optimizer = {"param_groups": [{"params": [0], "lr": 0.1}], "state": {0: {"note": "plain"}}}
    state = {"counters": {"step": 4}, "optimizer": optimizer, KEY: index}
    return store.save(4, state, beside=place)


def test_parts_come_back_as_one_state(saved: Path, tmp_path: Path) -> None:
    state = load_checkpoint(saved)
    assert set(state) == {"counters", "optimizer", "model", "ema"}
    assert torch.equal(state["model"]["w"], tensors()["model/w"])
    assert state["ema"]["w"].dtype == torch.bfloat16
    kept = state["optimizer"]["state"][0]
    assert kept["note"] == "plain"
    assert kept["step"] == 7
    assert torch.equal(kept["exp_avg"], tensors()["optimizer/0/exp_avg"])
    one = consolidate(saved, tmp_path / "one")
    assert sorted(p.name for p in one.iterdir()) == [
        "manifest.json", "model.safetensors", "state.json", "state.safetensors",
    ]  # fmt: skip
    assert torch.equal(load_checkpoint(one)["model"]["w"], state["model"]["w"])


def test_an_outline_has_shapes_and_no_bytes(saved: Path) -> None:
    state = load_checkpoint(saved, whole=False)
    assert state["model"]["w"].is_meta
    assert state["model"]["w"].shape == (30, 10)
    assert state["optimizer"]["state"][0]["exp_avg"].is_meta
    assert pickle.loads(pickle.dumps(state))["ema"]["w"].dtype == torch.bfloat16  # it is sent to the others


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("whole", [True, False])
def test_every_flipped_byte_is_noticed(saved: Path, name: str, whole: bool) -> None:
    path = saved / "shards" / name
    data = path.read_bytes()
    for where in range(0, len(data), 401):
        path.write_bytes(data[:where] + bytes([data[where] ^ 4]) + data[where + 1 :])
        with pytest.raises(DamagedCheckpoint, match="crc32"):
            load_checkpoint(saved, whole=whole)
    for length in (0, 1, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:length])
        with pytest.raises(DamagedCheckpoint, match=f"expected {len(data)} bytes, found {length} bytes"):
            load_checkpoint(saved, whole=whole)
    path.unlink()
    with pytest.raises(DamagedCheckpoint, match="a readable regular file"):
        load_checkpoint(saved, whole=whole)


def sign_again(saved: Path, change: Callable[[dict[str, Any]], None] | None = None) -> None:
    """Make the checksums vouch for whatever the files hold now, as somebody who means harm would."""
    state = json.loads((saved / "state.json").read_text())
    text = json.dumps(state)
    old = json.loads((saved / "manifest.json").read_text())["files"]
    listed = find_files(state)
    for name, entry in entries(saved / "shards").items():
        listed[name] = listed[name].__class__(entry) if name in listed else entry
    if change is not None:
        change(listed)
    text = json.dumps(state)
    (saved / "state.json").write_text(text)
    entry = module._write_json(saved / "other.json", state)
    os.replace(saved / "other.json", saved / "state.json")
    body = {"format": module.FORMAT, "step": 4, "files": {**old, "state.json": entry}}
    (saved / "manifest.json").write_text(json.dumps({**body, "sha256": module._digest(body)}))


def find_files(value: Any) -> dict[str, Any]:
    """The list of shards, wherever the encoding of a state puts it."""
    if isinstance(value, dict):
        if INDEX in value:
            return value
        value = list(value.values())
    for item in value if isinstance(value, list) else []:
        found = find_files(item)
        if found:
            return found
    return {}


class Bomb:
    """Would create a file where anything unpickled it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return (os.mkdir, (str(self.path),))


@pytest.mark.parametrize("name", FILES)
def test_a_hostile_pickle_is_refused_and_not_run(saved: Path, name: str, tmp_path: Path) -> None:
    bomb = tmp_path / "ran"
    (saved / "shards" / name).write_bytes(pickle.dumps(Bomb(bomb)))
    sign_again(saved)
    with pytest.raises(DamagedCheckpoint):
        load_checkpoint(saved)
    assert not bomb.exists()


def test_a_tensor_file_of_torch_that_would_run_code_is_refused(saved: Path, tmp_path: Path) -> None:
    bomb = tmp_path / "ran"
    path, buffer = saved / "shards" / "__0_0.distcp", io.BytesIO()
    torch.save(Bomb(bomb), buffer)
    data = path.read_bytes()
    path.write_bytes(buffer.getvalue() + data[len(buffer.getvalue()) :])
    sign_again(saved)
    with pytest.raises(DamagedCheckpoint):
        load_checkpoint(saved)
    assert not bomb.exists()


def rewrite_index(saved: Path, change: Callable[[Any], None]) -> None:
    path = saved / "shards" / INDEX
    index = pickle.loads(path.read_bytes())
    change(index)
    path.write_bytes(pickle.dumps(index))
    sign_again(saved)


@pytest.mark.parametrize("home", ["pathlib", "pathlib._local"])
def test_an_index_of_another_python_is_read(saved: Path, home: str) -> None:
    path = saved / "shards" / INDEX
    text = pickle.dumps(pickle.loads(path.read_bytes()), protocol=2)  # names in clear text
    own = f"c{PosixPath.__module__}\nPosixPath\n".encode()
    assert own in text
    path.write_bytes(text.replace(own, f"c{home}\nPosixPath\n".encode()))
    sign_again(saved)
    assert torch.equal(load_checkpoint(saved)["model"]["w"], tensors()["model/w"])


def test_an_index_can_not_reach_outside_its_folder(saved: Path, tmp_path: Path) -> None:
    torch.save(torch.ones(30, 10), tmp_path / "secret")

    def outside(index: Any) -> None:
        for info in index.storage_data.values():
            info.relative_path = "../../../secret"

    rewrite_index(saved, outside)
    with pytest.raises(DamagedCheckpoint, match=r"found '../../../secret'"):
        load_checkpoint(saved)


def test_an_index_can_not_claim_more_than_there_is(saved: Path) -> None:
    def huge(index: Any) -> None:
        index.state_dict_metadata["model/w"].size = torch.Size([1 << 40])

    rewrite_index(saved, huge)
    with pytest.raises(DamagedCheckpoint, match="expected tensors of"):
        load_checkpoint(saved)


@pytest.mark.parametrize("name", ["../../secret", "/etc/passwd", "__0_0.distcp/../x", "other.pt"])
def test_other_files_are_not_taken(saved: Path, name: str) -> None:
    sign_again(saved, lambda listed: listed.update({name: dict(next(iter(listed.values())))}))
    with pytest.raises(DamagedCheckpoint, match="names of a checkpoint's files"):
        load_checkpoint(saved)


@pytest.mark.parametrize("files", [None, [], {}, {"__0_0.distcp": {}}, {INDEX: 3}, {INDEX: {"bytes": -1}}])
def test_a_list_of_files_that_is_none_is_refused(saved: Path, files: object) -> None:
    with pytest.raises(DamagedCheckpoint):
        Shards(saved / "shards", files)


def test_no_shard_is_world_writable(saved: Path) -> None:
    for path in saved.rglob("*"):
        assert not path.stat().st_mode & 0o002


def test_shards_a_killed_process_left_are_swept(tmp_path: Path) -> None:
    store = CheckpointStore(tmp_path)
    write_part(store.place_for_shards(3), tensors())
    assert any(tmp_path.iterdir())
    CheckpointStore(tmp_path)
    assert not any(tmp_path.iterdir())
