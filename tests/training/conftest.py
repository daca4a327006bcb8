"""Where whole runs are tried: a folder and a cache of their own, and something to train on."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def text(tmp_path: Path, own_cache: None) -> Path:
    path = tmp_path / "text.txt"
    path.write_text("".join(f"line {i % 17} of the text, and {i % 5} more\n" for i in range(400)))
    return path
