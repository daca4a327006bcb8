"""Findings worked out ahead, by a second process, while mypy is still busy with torch.

mypy needs seconds for torch before it comes to the program's own modules, and of mypy the engine needs only
to know which file each module is.  So where there is much to check and a second core to do it, the engine
runs beside mypy, and its findings are there when mypy asks.  Whatever goes wrong with that process costs time
only: a module that it did not answer for is checked here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import IO

import typedtorch
from typedtorch.shapes.findings import Finding

# Bytes of source from which a second process is worth its start.
WORTHWHILE = 150_000
_PATIENCE = 120.0  # seconds without an answer after which the process counts as stuck
_PROGRAM = "import sys; sys.path.append({root!r}); from typedtorch.mypy_plugin import worker; worker.main()"

Stamp = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Answer:
    """The findings of one module, the state of its file then, and the modules whose text they rest on."""

    stamp: Stamp
    findings: list[Finding]
    used: frozenset[str]

    def encode(self, module: str) -> str:
        """One line for the pipe."""
        return json.dumps([module, self.stamp, [astuple(f) for f in self.findings], sorted(self.used)])

    @staticmethod
    def decode(line: str) -> tuple[str, Answer]:
        """The module and the answer that ``encode`` wrote."""
        module, stamp, findings, used = json.loads(line)
        return module, Answer(tuple(stamp), [Finding(*f) for f in findings], frozenset(used))


def worth_starting(paths: Iterable[Path]) -> bool:
    """Whether these files are many enough, and a core is free for them."""
    return _cores() > 1 and sum(path.stat().st_size for path in paths if path.is_file()) >= WORTHWHILE


def stamp(path: Path) -> Stamp:
    """What changes when a file does."""
    try:
        status = path.stat()
    except OSError:
        return (0, 0)
    return (status.st_mtime_ns, status.st_size)


class Ahead:
    """The second process, and what it has answered so far."""

    def __init__(self, files: Mapping[str, str], check: list[str]) -> None:
        root = str(Path(typedtorch.__file__).parents[1])
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _PROGRAM.format(root=root)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._asked = set(check)
        self._answers: dict[str, Answer] = {}
        self._news = threading.Condition()
        self._over = False
        task = json.dumps({"files": dict(files), "check": check})
        threading.Thread(target=self._talk, args=(self._process, task), daemon=True).start()

    def answer(self, module: str, path: Path) -> Answer | None:
        """The answer for a module, waited for; None if there is none, or the file has changed since."""
        if module not in self._asked:
            return None
        with self._news:
            come = self._news.wait_for(lambda: self._over or module in self._answers, _PATIENCE)
            found = self._answers.pop(module, None)
            if not come:
                self._over = True
                self._process.kill()
        return found if found is not None and found.stamp == stamp(path) else None

    def _talk(self, process: subprocess.Popen[str], task: str) -> None:
        """Hand over the task, then take answers until the process ends."""
        try:
            _send(process.stdin, task)
            for line in process.stdout or ():
                module, answer = Answer.decode(line)
                with self._news:
                    self._answers[module] = answer
                    self._news.notify_all()
        except (OSError, ValueError):
            process.kill()
        finally:
            with self._news:
                self._over = True
                self._news.notify_all()
            process.wait()


def _send(pipe: IO[str] | None, text: str) -> None:
    assert pipe is not None
    with pipe:
        pipe.write(text)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
