"""Findings worked out ahead, by other processes, while mypy is still busy with torch.

mypy needs seconds for torch before it comes to the program's own modules, and of mypy the engine needs only
to know which file each module is.  So where there is much to check and a second core to do it, the engine
runs beside mypy, and its findings are there when mypy asks.  Whatever goes wrong with these processes costs
time only: a module that they did not answer for is checked here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import astuple, dataclass
from pathlib import Path

import typedtorch
from typedtorch.shapes.findings import Finding

# Bytes of source from which one more process is worth its start.
WORTHWHILE = 150_000
_MOST = 3  # each has to read what the modules have in common
_IN_HAND = 2  # modules that a process has been given: while mypy is slow to hear of one it has another
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


def no_answer(module: str) -> str:
    """The line for a module that cannot concern tensors, or in which the engine fails."""
    return json.dumps([module])


def decode(line: str) -> tuple[str, Answer | None]:
    """The module and the answer of a line, if there is one."""
    module, *rest = json.loads(line)
    if not rest:
        return module, None
    stamp, findings, used = rest
    return module, Answer(tuple(stamp), [Finding(*f) for f in findings], frozenset(used))


def worth_starting(size: int) -> int:
    """How many processes so many bytes of source are worth: none where they are few, or no core is free."""
    return min(_cores() - 1, size // WORTHWHILE, _MOST)


def stamp(path: Path) -> Stamp:
    """What changes when a file does."""
    try:
        status = path.stat()
    except OSError:
        return (0, 0)
    return (status.st_mtime_ns, status.st_size)


class Ahead:
    """The other processes, what is left for them to do, and what they have answered so far.

    They load the engine while mypy still reads the program.  mypy comes to the modules roughly in the order
    of ``check``; the processes take them from its end, a few at a time.  What mypy comes to first it need not
    wait for: it is taken back, to be checked here.
    """

    def __init__(self) -> None:
        self._left: dict[str, None] = {}
        self._out: set[str] = set()
        self._answers: dict[str, Answer] = {}
        self._news = threading.Condition()
        self._wanted: Callable[[str], bool] = lambda module: True
        self._processes: list[subprocess.Popen[str]] = []

    def get_ready(self, processes: int) -> None:
        """Start processes, up to so many in all."""
        while len(self._processes) < processes:
            self._processes.append(_start())

    def begin(
        self,
        files: Mapping[str, str],
        check: Iterable[str],
        wanted: Callable[[str], bool] = lambda module: True,
    ) -> None:
        """Hand out modules; of ``files`` the processes may read every one."""
        self._left = dict.fromkeys(check)
        self._wanted = wanted
        task = json.dumps(dict(files))
        for process in self._processes:
            threading.Thread(target=self._serve, args=(process, task), daemon=True).start()

    def answer(self, module: str, path: Path) -> Answer | None:
        """The answer for a module; None if nobody works on it, or the file has changed since."""
        with self._news:
            if module in self._left:
                del self._left[module]
                return None
            if not self._news.wait_for(lambda: module not in self._out, _PATIENCE):
                self._stop()
            found = self._answers.pop(module, None)
        return found if found is not None and found.stamp == stamp(path) else None

    def _stop(self) -> None:
        """Nothing more is expected of anybody."""
        self._left.clear()
        self._out.clear()
        for process in self._processes:
            process.kill()

    def _serve(self, process: subprocess.Popen[str], task: str) -> None:
        """Hand over the task, then a module for each answer, until there are no more or the process ends."""
        given: set[str] = set()
        try:
            _send(process, task)
            for _ in range(_IN_HAND):
                self._give(process, given)
            for line in process.stdout or ():
                module, answer = decode(line)
                with self._news:
                    if answer is not None and module in self._out:
                        self._answers[module] = answer
                    self._out.discard(module)
                    self._news.notify_all()
                self._give(process, given)
        except (OSError, ValueError):
            process.kill()
        finally:
            with self._news:
                self._out -= given
                self._news.notify_all()
            process.wait()

    def _give(self, process: subprocess.Popen[str], given: set[str]) -> None:
        """The last of the modules that are left, or the news that there is none."""
        assert process.stdin is not None
        if process.stdin.closed:
            return
        with self._news:
            module = self._next()
            if module is not None:
                given.add(module)
                self._out.add(module)
        if module is None:
            process.stdin.close()
        else:
            _send(process, module)

    def _next(self) -> str | None:
        while self._left:
            module, _ = self._left.popitem()
            if self._wanted(module):
                return module
        return None


def _start() -> subprocess.Popen[str]:
    root = str(Path(typedtorch.__file__).parents[1])
    return subprocess.Popen(
        [sys.executable, "-P", "-c", _PROGRAM.format(root=root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
    )


def _send(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{line}\n")
    process.stdin.flush()


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
