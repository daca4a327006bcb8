"""Runs mypy, in a process of its own, over small programs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from filelock import FileLock

STUBS = Path(__file__).parent / "stubs"
# mypy, whose engine fails whatever it is given.
FAILING = """
from mypy.__main__ import console_entry
from typedtorch.shapes.infer import Reach

def answer(*_: object) -> None:
    raise KeyError("x")

Reach.answer = answer
console_entry()
"""
PLUGIN = "[mypy]\nplugins = typedtorch.mypy_plugin\nstrict = True\n"
_EDITS = count(1)
_LINE = re.compile(r"^(?P<path>[^:]+\.py):(?P<line>\d+): (?P<rest>(?:error|note): .*)$")


@dataclass(frozen=True)
class Outcome:
    """What one run printed."""

    code: int
    stdout: str
    stderr: str

    @property
    def messages(self) -> set[tuple[str, int, str]]:
        """(file, line, ``error: ...``) of every message."""
        matches = filter(None, map(_LINE.match, self.stdout.splitlines()))
        return {(Path(m["path"]).name, int(m["line"]), m["rest"]) for m in matches}

    @property
    def lines(self) -> list[str]:
        """``file:line: error [code]`` of every error, for tests that are not about the text."""
        errors = sorted(m for m in self.messages if m[2].startswith("error"))
        return [f"{path}:{line} {text.rpartition('[')[2].rstrip(']')}" for path, line, text in errors]


@dataclass(frozen=True)
class Project:
    """A folder with files and a mypy configuration, checked against small stubs that load in no time."""

    folder: Path
    cache: Path
    config: str = PLUGIN
    environment: Mapping[str, str] = field(default_factory=dict)

    def write(self, **files: str) -> None:
        """Write files; ``pkg__mod`` stands for ``pkg/mod.py``."""
        for name, text in files.items():
            path = self.folder / (name.replace("__", "/") + ".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            # mypy compares times in whole seconds, and a test edits faster than that.
            later = time.time() + 2 * next(_EDITS)
            os.utime(path, (later, later))

    def mypy(self, *arguments: str, command: Sequence[str] = ("mypy",)) -> Outcome:
        """Run mypy, or another of its commands."""
        (self.folder / "mypy.ini").write_text(self.config)
        environment = {
            **os.environ,
            "MYPYPATH": str(STUBS),
            "MYPY_CACHE_DIR": str(self.cache),
            **self.environment,
        }
        with FileLock(f"{self.cache}.lock"):  # another process of the tests may have the same cache
            done = subprocess.run(
                [sys.executable, "-m", *command, *arguments],
                cwd=self.folder,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
        return Outcome(done.returncode, done.stdout, done.stderr)
