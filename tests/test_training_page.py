"""Every program on the page about training runs, alone and where it says so as two processes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from typedtorch.training.config import GROUP_OF

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "training.md").read_text()
PROGRAMS = dict(re.findall(r"^```python\n# (\S+\.py)\n(.*?)^```", PAGE, re.M | re.S))


def run(folder: Path, name: str, *launcher: str) -> subprocess.CompletedProcess[str]:
    (folder / name).write_text(PROGRAMS[name])
    environment = {
        **os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(folder / "cache"),
        "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo",
    }  # fmt: skip
    (folder / "text.py").write_text("the text of a file that is there, over and over\n" * 50)
    return subprocess.run(
        [sys.executable, *launcher, name],
        cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_program_runs(tmp_path: Path, name: str) -> None:
    done = run(tmp_path, name)
    assert done.returncode == 0, done.stderr
    wanted = {
        "own_run.py": "4 own-run ", "own_loop.py": "40", "own_many.py": "8", "own_use.py": "b'the ",
    }[name]  # fmt: skip
    assert [line for line in done.stdout.splitlines() if line.startswith(wanted)], done.stdout


@pytest.mark.slow
def test_the_loop_of_several_processes_runs_in_two(tmp_path: Path) -> None:
    done = run(
        tmp_path, "own_many.py", "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"
    )
    assert done.returncode == 0, done.stderr
    assert "".join(done.stdout.split()) == "88"  # both write, perhaps in one line


def test_every_option_it_names_exists() -> None:
    named = set(re.findall(r"(?<![\w-])--([a-z][a-z-]+)", PAGE)) - {"nproc-per-node", "help"}
    assert named <= {name.replace("_", "-") for name in GROUP_OF}
    assert len(named) > 10
