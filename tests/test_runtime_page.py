"""Every program on the page about runtime checking runs, and prints what the page shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from typedtorch.runtime import errors

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "runtime.md").read_text()
PROGRAMS = dict(re.findall(r"^```python\n# (\S+\.py)\n(.*?)^```", PAGE, re.M | re.S))
SESSIONS = re.findall(r"^```console\n\$ python (\S+)\n(.*?)^```", PAGE, re.M | re.S)


@pytest.mark.parametrize(("name", "printed"), SESSIONS, ids=[name for name, _ in SESSIONS])
def test_every_program_prints_what_the_page_shows(tmp_path: Path, name: str, printed: str) -> None:
    for each, text in PROGRAMS.items():
        (tmp_path / each).write_text(text)
    done = subprocess.run(
        [sys.executable, name],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
        check=False, timeout=300,
    )  # fmt: skip
    assert done.stdout == printed, done.stderr


def test_every_program_is_run_or_imported() -> None:
    assert PAGE.count("```python\n") == len(PROGRAMS)
    assert PROGRAMS.keys() - {name for name, _ in SESSIONS} == {"shapes.py"}


def test_links_and_names_exist() -> None:
    for target in re.findall(r"\]\(((?!https?:)[^)#]+)", PAGE):
        assert (ROOT / "docs" / target).exists(), target
    for script in re.findall(r"`python (benchmarks/\S+)`", PAGE):
        assert (ROOT / script).exists(), script
    for name in set(re.findall(r"\b\w+CheckError\b", PAGE)):
        assert issubclass(getattr(errors, name), errors.CheckError)
