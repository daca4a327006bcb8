"""Checks files in several processes at once; the findings of one file do not depend on those of another."""

from __future__ import annotations

import multiprocessing
import signal
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress
from multiprocessing.connection import wait
from pathlib import Path
from typing import TYPE_CHECKING

from typedtorch.check.targets import Target
from typedtorch.shapes.answers import stamp
from typedtorch.shapes.garbage import uncollected
from typedtorch.shapes.syntax import DEPTH

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

    from typedtorch.check.run import Checker, Looked


def look(checker: Checker, targets: Iterable[Target], jobs: int) -> tuple[dict[Target, Looked], set[Path]]:
    """What is found in each file, and the files that these import.

    What a process that was killed should have found is missing.
    """
    import typedtorch.shapes.infer  # noqa: F401, PLC0415  # once, before there is a second process

    found: dict[Target, Looked] = {}
    imported: set[Path] = set()
    left = sorted(targets, key=_size)  # the largest first: none is left alone with one at the end
    busy: dict[Connection, Target] = {}
    processes: list[BaseProcess] = []
    try:
        while left and len(processes) < jobs:
            pipe = _start(checker, processes)
            busy[pipe] = _send(pipe, left.pop())
        while busy:
            ready = wait(list(busy))
            for pipe in [pipe for pipe in busy if pipe in ready]:
                target = busy.pop(pipe)
                with suppress(EOFError, OSError):  # it was killed
                    found[target], files = pipe.recv()
                    imported |= files
                    if left:
                        busy[pipe] = _send(pipe, left.pop())
    finally:
        for process in processes:
            process.kill()
            process.join()
    return found, imported


def _start(checker: Checker, processes: list[BaseProcess]) -> Connection:
    """A process, and the pipe on which it takes files and gives what it found.

    A fork starts at once with all that is loaded; where threads may hold locks it is not safe.
    """
    alone = threading.active_count() == 1 and "torch" not in sys.modules
    context = multiprocessing.get_context("fork" if sys.platform == "linux" and alone else "spawn")
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(checker, here, there), daemon=True)  # type: ignore[attr-defined]  # each has
    process.start()
    processes.append(process)
    there.close()
    return here


def _send(pipe: Connection, target: Target) -> Target:
    with suppress(OSError):  # it was killed: whoever waits for what it found is told so
        pipe.send(target)
    return target


def _serve(checker: Checker, parents: Connection, pipe: Connection) -> None:
    """Check what comes, until the process that sends it is gone."""
    parents.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.setrecursionlimit(max(sys.getrecursionlimit(), DEPTH))
    told: frozenset[Path] = frozenset()
    with suppress(EOFError, OSError), uncollected():
        while True:
            found = checker.look(pipe.recv())
            imported = checker.imported()
            pipe.send((found, imported - told))
            told = imported


def _size(target: Target) -> int:
    return stamp(target.path)[1]
