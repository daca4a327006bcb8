"""What can be worked out ahead, by other processes, while mypy is still busy with torch.

mypy needs seconds for torch before it comes to the program's own modules.  So where there is much to check
and a second core to do it, other processes work beside mypy: they read the facts of each source that mypy
finds, and once mypy knows which file each module is, which is all that the engine needs of it, they look for
findings.  Both are there when mypy asks.  Whatever goes wrong with these processes costs time only: what they
did not answer is worked out here.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import typedtorch
from typedtorch.mypy_plugin.kept_facts import Written
from typedtorch.mypy_plugin.turns import Turns
from typedtorch.shapes.answers import Answer, Stamp, stamp
from typedtorch.shapes.cores import cores, worth

WORTHWHILE = 4_000  # bytes of source from which a process is worth its start
_IN_HAND = 2  # tasks that a process has been given: while mypy is slow to hear of one it has another
_PATIENCE = 120.0  # seconds without an answer, or a task, after which nothing more is expected
_PROGRAM = "import sys; sys.path.append({root!r}); from typedtorch.mypy_plugin import worker; worker.main()"

Files = dict[str, str]  # of each module its file


class Facts(NamedTuple):
    """What one source says, and the state of its file then."""

    stamp: Stamp
    written: Written


# A process is told the files, and asked of sources, by path, and of modules, by name.  It answers with what
# it was asked of and what it found: None of a module that cannot concern tensors, and where it fails.
Task = Files | Path | str
Result = tuple[Path | str, Facts | Answer | None]


def worth_starting(size: int) -> int:
    """How many processes so many bytes of source are worth: none where they are few, or no core is free."""
    return worth(size, cores() - 1) if size >= WORTHWHILE else 0


class Ahead:
    """The other processes, what is left for them to do, and what they have answered so far.

    They load the engine and read sources while mypy still reads the program.  What mypy comes to before
    anybody has begun it is taken back, to be checked here.  Only where there is little to do is waiting
    quicker than to load the engine here as well.
    """

    def __init__(self) -> None:
        self._unread: deque[Path] = deque()
        self._files: Files | None = None
        self._turns = Turns({}, shared=True)
        self._urgent: str | None = None  # mypy waits for it
        self._out: set[str] = set()
        self._facts: dict[Path, Facts] = {}
        self._answers: dict[str, Answer] = {}
        self._news = threading.Condition()
        self._wanted: Callable[[str], bool] = lambda module: True
        self._processes: list[subprocess.Popen[bytes]] = []
        self._alive = 0

    def get_ready(self, processes: int) -> None:
        """Start processes, up to so many in all."""
        while len(self._processes) < processes:
            try:
                process = _start()
            except OSError:  # no more processes are allowed: there is still this one
                return
            self._processes.append(process)
            with self._news:
                self._alive += 1
            threading.Thread(target=self._serve, args=(process,), daemon=True).start()

    def read(self, path: Path) -> None:
        """A source whose facts will be asked for."""
        with self._news:
            self._unread.append(path)
            self._news.notify_all()

    def begin(
        self,
        files: Mapping[str, str],
        turns: Turns,
        wanted: Callable[[str], bool] = lambda module: True,
    ) -> None:
        """Hand out modules; of ``files`` the processes may read every one."""
        with self._news:
            self._files, self._turns, self._wanted = dict(files), turns, wanted
            self._news.notify_all()

    def facts(self, path: Path) -> Written | None:
        """What a source says; None if no process has read it by now, or the file has changed since."""
        found = self._facts.pop(path, None)
        return found.written if found is not None and found.stamp == stamp(path) else None

    def answer(self, module: str, path: Path, *, take_back: bool = True) -> Answer | None:
        """The answer for a module; None if nobody works on it, or the file has changed since.

        What nobody has begun is taken back, or else is the next to be begun.
        """
        with self._news:
            self._turns.come_to(module)
            if self._turns.take(module):
                if take_back or not self._alive:
                    return None
                self._urgent = module
                self._news.notify_all()
            if not self._news.wait_for(lambda: not self._awaited(module), _PATIENCE):
                self._stop()
            found = self._answers.pop(module, None)
        return found if found is not None and found.stamp == stamp(path) else None

    def _awaited(self, module: str) -> bool:
        return module in self._out or (module == self._urgent and self._alive > 0)

    def _stop(self) -> None:
        """Nothing more is expected of anybody."""
        self._turns.give_up()
        self._out.clear()
        for process in self._processes:
            process.kill()

    def _serve(self, process: subprocess.Popen[bytes]) -> None:
        """Hand over tasks and take the results, until there are no more tasks or the process ends."""
        given: set[str] = set()
        try:
            self._hand_out(process, given)
        except (OSError, EOFError):
            process.kill()
        finally:
            assert process.stdin is not None
            process.stdin.close()
            with self._news:
                self._alive -= 1
                self._out -= given
                self._news.notify_all()
            process.wait()

    def _hand_out(self, process: subprocess.Popen[bytes], given: set[str]) -> None:
        from typedtorch.mypy_plugin import pipes  # noqa: PLC0415  # most runs start no process

        assert process.stdin is not None
        assert process.stdout is not None
        owed, knows_files = 0, False
        while True:
            task = self._next(given, wait=not owed)
            if task is None and not owed:
                return
            if isinstance(task, str) and not knows_files:
                pipes.send(self._files, process.stdin)
                knows_files = True
            if task is not None:
                pipes.send(task, process.stdin)
                owed += 1
            if task is None or owed == _IN_HAND:
                self._take(pipes.receive(process.stdout))
                owed -= 1

    def _next(self, given: set[str], *, wait: bool) -> Task | None:
        """A source to read or else one of the modules that are left; None if there is neither."""
        with self._news:
            if wait:
                self._news.wait_for(self._has_work, _PATIENCE)
            if self._unread:
                return self._unread.popleft()
            while self._files is not None and (module := self._choose(given)):
                if self._wanted(module):
                    given.add(module)
                    self._out.add(module)
                    return module
        return None

    def _choose(self, given: set[str]) -> str | None:
        urgent, self._urgent = self._urgent, None
        return urgent or self._turns.choose(self._turns.size(given & self._out))

    def _has_work(self) -> bool:
        return bool(self._unread) or self._files is not None

    def _take(self, result: Result) -> None:
        with self._news:
            task, found = result
            if isinstance(task, str):
                if isinstance(found, Answer) and task in self._out:
                    self._answers[task] = found
                self._out.discard(task)
            elif isinstance(found, Facts):
                self._facts[task] = found
            self._news.notify_all()


def _start() -> subprocess.Popen[bytes]:
    root = str(Path(typedtorch.__file__).parents[1])
    return subprocess.Popen(
        [sys.executable, "-P", "-c", _PROGRAM.format(root=root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
