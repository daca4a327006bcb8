"""The examples run as they stand."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def said(name: str, tmp_path: Path) -> str:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path), "TMPDIR": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_text_is_trained_on_and_resumed(tmp_path: Path) -> None:
    text = said("train_text.py", tmp_path)
    found = re.search(r"20 steps, then 40: validation loss ([\d.]+), then ([\d.]+)", text)
    assert found is not None
    assert float(found[2]) < float(found[1])
    written = "checkpoints, config.json, loss.png, metrics.jsonl, report.html, report.png, summary.json"
    assert f"in the run folder: {written}" in text


@pytest.mark.slow
def test_own_parts_are_trained(tmp_path: Path) -> None:
    assert "good enough after" in said("train_own_parts.py", tmp_path)
