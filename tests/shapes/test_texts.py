"""Digests of folders: kept with the states of their files, and worked out again when one has changed."""

import os
from pathlib import Path

import pytest

from typedtorch.shapes import texts
from typedtorch.shapes.store import Store


@pytest.fixture(autouse=True)
def _nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "_of_folders", {})


def _known(kept: Path, folder: Path) -> str:
    texts._of_folders.clear()
    texts.know(Store(kept), folder)
    return texts.of_sources(folder)


def test_a_digest_holds_while_no_file_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "rules"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "a.py").write_text("x = 1\n")
    first = _known(tmp_path / "kept", folder)
    assert first == texts.of_sources(folder) != texts.of_text("")

    def read(path: Path) -> bytes:
        raise AssertionError(f"{path} is read")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", read)
        assert _known(tmp_path / "kept", folder) == first
        assert len(texts.engine()) == len(first)


@pytest.mark.parametrize("change", ["text", "added", "removed", "renamed"])
def test_a_changed_folder_has_another(tmp_path: Path, change: str) -> None:
    folder = tmp_path / "rules"
    folder.mkdir()
    for name in ("a.py", "b.py"):
        (folder / name).write_text("x = 1\n")
    first = _known(tmp_path / "kept", folder)
    match change:
        case "text":
            (folder / "a.py").write_text("x = 2\n")
            os.utime(folder / "a.py", ns=(1, 1))  # of the same length, and a clock that stands still
        case "added":
            (folder / "c.py").write_text("")
        case "removed":
            (folder / "a.py").unlink()
        case _:
            (folder / "a.py").rename(folder / "c.py")
    assert _known(tmp_path / "kept", folder) != first
