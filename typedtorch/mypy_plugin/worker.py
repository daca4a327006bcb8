"""A process of ``ahead``: reads facts and checks modules as it is told, an answer for each."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from typedtorch.mypy_plugin import pipes
from typedtorch.mypy_plugin.ahead import Facts, Files, Result, Task
from typedtorch.mypy_plugin.kept_facts import Written
from typedtorch.shapes.answers import Answer, stamp
from typedtorch.shapes.module_facts import SourceFacts
from typedtorch.shapes.sources import Sources, text_of
from typedtorch.shapes.syntax import DEPTH, Syntax


def main() -> None:
    """Tasks come on standard input, results go to standard output; after the last it ends."""
    gc.disable()  # it lives for seconds
    sys.setrecursionlimit(max(sys.getrecursionlimit(), DEPTH))
    import typedtorch.shapes.infer  # noqa: F401, PLC0415  # the rules load before there is a task

    try:
        for result in results(_tasks(sys.stdin.buffer)):
            pipes.send(result, sys.stdout.buffer)
    except BrokenPipeError:
        pass  # mypy has ended, and nobody listens
    os._exit(0)  # at once: to free the program object by object takes long


def _tasks(pipe: BinaryIO) -> Iterator[Task]:
    """What mypy's process sends until it closes the pipe."""
    while True:
        try:
            yield pipes.receive(pipe)
        except EOFError:
            return


def results(tasks: Iterable[Task]) -> Iterator[Result]:
    """The facts of each source and the answer for each module that is asked for."""
    parsed: list[Syntax] = []  # the engine gets the same trees
    checker = _Checker({})
    for task in tasks:
        match task:
            case dict():
                checker = _Checker(task)
            case str():
                yield task, checker.answer(task)
            case _:
                yield task, _facts(task, parsed)


def _facts(path: Path, parsed: list[Syntax]) -> Facts | None:
    before = stamp(path)
    try:
        source = SourceFacts.read(text_of(path), path=str(path))
    except (OSError, UnicodeDecodeError):
        return None
    parsed.append(source.syntax)
    return Facts(before, Written.of(source, whole=True))


class _Checker:
    """The engine, and which modules it has read."""

    def __init__(self, files: Files) -> None:
        from typedtorch.shapes.infer import Program, Reach  # noqa: PLC0415  # as above

        self._files = files
        self._sources = Sources(self._find)
        self._reach = Reach(Program(self._find))

    def answer(self, module: str) -> Answer | None:
        """None for a module that cannot concern tensors, and where the engine fails."""
        path = Path(self._files[module])
        try:
            return self._reach.answer(module, path) if self._sources.relevant(module, path) else None
        except Exception:  # mypy's process tries again, and says what is wrong
            return None

    def _find(self, module: str) -> Path | None:
        path = self._files.get(module)
        return Path(path) if path is not None and self._sources.followed(module, Path(path)) else None
