"""Every block of docs/static.md is what happens: commands print what is shown, and fixes fix."""

from __future__ import annotations

import ast
import configparser
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from typedtorch.shapes.config import parse
from typedtorch.shapes.findings import EXPLAIN

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "static.md"
TEXT = PAGE.read_text(encoding="utf-8")
# TYPEDTORCH_REWRITE=1 writes into the page what the commands print.
REWRITE = "TYPEDTORCH_REWRITE" in os.environ
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.M | re.S)


@pytest.fixture(scope="module")
def cache(pytestconfig: pytest.Config) -> Path:
    """mypy's, kept from one session to the next: torch takes it a while."""
    assert pytestconfig.cache is not None
    return pytestconfig.cache.mkdir("mypy_static_page")


def run(folder: Path, cache: Path, command: str) -> str:
    name, *arguments = command.split()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "MYPY_CACHE_DIR": str(cache)}
    done = subprocess.run(
        [sys.executable, "-m", name, *arguments],
        cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    return (done.stdout + done.stderr).replace(str(folder) + os.sep, "")


class Reader:
    """Does with one block after the other what the page tells a reader to do."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder, self.cache = folder, cache
        self.last: Path | None = None
        self.fixed = 0

    def read(self, language: str, body: str) -> str:
        """The block as it should stand on the page."""
        match language:
            case "python":
                self._file(body)
            case "toml" | "ini":
                self._settings(language, body)
            case "diff" if self.last is not None:
                self._fix(body)
            case "console":
                return self._session(body)
        return body

    def _file(self, body: str) -> None:
        first, _, text = body.partition("\n")
        self.last = self.folder / first.removeprefix("# ")
        assert self.last.suffix == ".py", f"a Python block names its file in its first line: {first}"
        self.last.write_text(text)

    def _settings(self, language: str, body: str) -> None:
        if body.startswith("# pyproject.toml"):
            (self.folder / "pyproject.toml").write_text(body.partition("\n")[2])
        elif language == "toml":
            parse(Path("pyproject.toml"), body, EXPLAIN)
            assert tomllib.loads(body)["tool"].keys() <= {"mypy", "typedtorch"}
        else:
            configparser.ConfigParser().read_string(body)
            (self.folder / "mypy.ini").write_text(body)

    def _session(self, body: str) -> str:
        command = body.splitlines()[0].removeprefix("$ ")
        shown = run(self.folder, self.cache, command)
        (self.folder / "pyproject.toml").unlink(missing_ok=True)
        return f"$ {command}\n{shown}"

    def _fix(self, body: str) -> None:
        """Lines that go, and what comes in their place; the file is then without a finding."""
        assert self.last is not None
        lines = body.splitlines()
        old = "".join(f"{line[1:]}\n" for line in lines if line[0] == "-")
        new = "".join(f"{line[1:]}\n" for line in lines if line[0] == "+")
        text = self.last.read_text()
        if old not in text:  # shown for its own sake
            ast.parse(f"{new}    ...\n")
            return
        self.last.write_text(text.replace(old, new))
        printed = run(self.folder, self.cache, f"typedtorch check {self.last.name}")
        assert printed == "No errors (checked 1 source file)\n", f"{self.last.name} after its fix"
        self.fixed += 1


@pytest.mark.slow
def test_page_shows_what_happens(tmp_path: Path, cache: Path) -> None:
    reader = Reader(tmp_path, cache)
    made = _BLOCK.sub(lambda found: f"```{found[1]}\n{reader.read(found[1], found[2])}```", TEXT)
    if REWRITE:
        PAGE.write_text(made, encoding="utf-8")
    assert made.splitlines() == PAGE.read_text(encoding="utf-8").splitlines()
    assert reader.fixed >= 10


@pytest.mark.parametrize("code", EXPLAIN)
def test_every_code_has_an_example_and_its_fix(code: str) -> None:
    section = re.search(rf"^### {code}\n(.*?)(?=^##)", TEXT, re.M | re.S)
    assert section is not None
    assert f"[{code}]" in section[1]
    assert "```diff" in section[1]


def test_links_exist() -> None:
    titles = {
        re.sub(r"[^\w -]", "", t.lower()).replace(" ", "-") for t in re.findall(r"^#+ (.*)$", TEXT, re.M)
    }
    for target, _, anchor in (t.partition("#") for t in re.findall(r"\]\(((?!https?:)[^)]+)\)", TEXT)):
        assert not target or (PAGE.parent / target).exists(), target
        assert not anchor or anchor in titles, anchor


def test_the_task_of_the_page_reads_what_is_printed() -> None:
    block = re.search(r"^```json\n(.*?)^```", TEXT, re.M | re.S)
    assert block is not None
    (task,) = json.loads(block[1])["tasks"]
    pattern = task["problemMatcher"]["pattern"]
    printed = re.findall(r"^\S+\.py:\d+:\d+: .*$", TEXT, re.M)
    assert len(printed) > 10
    for line in printed:
        found = re.match(pattern["regexp"], line)
        assert found is not None, line
        assert found[pattern["severity"]] in ("error", "note")
        if found[pattern["severity"]] == "error":
            assert found[pattern["code"]] in EXPLAIN


def test_hook_of_the_page_is_in_the_repository() -> None:
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text()
    for name in re.findall(r"`id: ([\w-]+)`", TEXT):
        assert f"- id: {name}\n" in hooks
