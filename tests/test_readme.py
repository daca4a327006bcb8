"""Every snippet of the README is run, and prints what the README says it prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", README, re.M | re.S)
SESSIONS = [
    (command, output)
    for language, body in BLOCKS
    if language == "console"
    for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", body, re.M)
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The README's files, written where a reader would write them."""
    made = tmp_path_factory.mktemp("readme")
    for language, body in BLOCKS:
        if language == "python":
            name = re.match(r"# (\S+\.py)\n", body)
            assert name is not None, f"a Python block names its file in its first line:\n{body}"
            (made / name.group(1)).write_text(body)
        if language == "ini":
            (made / "mypy.ini").write_text(body)
    return made


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    program = {"mypy": ["-m", "mypy"], "typedtorch": ["-m", "typedtorch"], "python": []}[command[0]]
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "NO_COLOR": "1",
        "XDG_CACHE_HOME": str(folder / "cache"),
    }
    return subprocess.run(
        [sys.executable, *program, *command[1:]],
        cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip


@pytest.mark.parametrize(("command", "output"), SESSIONS, ids=[c for c, _ in SESSIONS])
def test_command_prints_what_the_readme_shows(folder: Path, command: str, output: str) -> None:
    done = run(folder, *command.split())
    assert done.stdout == output, done.stderr


def test_every_file_runs(folder: Path) -> None:
    shown = {command.split()[-1] for command, _ in SESSIONS}
    for path in sorted(folder.glob("*.py")):
        if path.name not in shown:
            done = run(folder, "python", path.name)
            assert done.returncode == 0, done.stderr


def test_links_and_pictures_exist() -> None:
    for target in re.findall(r"\]\(((?!https?:)[^)#]+)", README):
        assert (ROOT / target).exists(), target


def test_commands_in_the_table_exist() -> None:
    for script in re.findall(r"`python (benchmarks/\S+)`", README):
        assert (ROOT / script).exists(), script
