"""A process of ``ahead``: checks the modules that it is told of, a line of answer for each."""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from typedtorch.mypy_plugin.ahead import Answer, no_answer, stamp
from typedtorch.shapes.sources import Sources
from typedtorch.shapes.syntax import DEPTH


def main() -> None:
    """Read where the modules are, then their names, from standard input; write answers to standard output."""
    gc.disable()  # it lives for seconds
    sys.setrecursionlimit(max(sys.getrecursionlimit(), DEPTH))
    import typedtorch.shapes.infer  # noqa: F401, PLC0415  # the rules load before there is a task

    task = sys.stdin.readline()
    if not task:
        return  # there was too little to check, after all
    files = json.loads(task)
    try:
        for line in answers(files, map(str.rstrip, sys.stdin)):
            print(line, flush=True)
    except BrokenPipeError:
        sys.stderr.close()  # mypy has ended, and nobody listens


def answers(files: Mapping[str, str], check: Iterable[str]) -> Iterator[str]:
    """An answer for each module that can concern tensors; for others, and where the engine fails, none."""
    from typedtorch.shapes.infer import Program  # noqa: PLC0415  # as above

    read: set[str] = set()

    def find(module: str) -> Path | None:
        path = files.get(module)
        return None if path is None else Path(path)

    def find_and_note(module: str) -> Path | None:
        path = find(module)
        if path is not None:
            read.add(module)
        return path

    sources = Sources(find)
    program = Program(find_and_note)
    for module in check:
        path = Path(files[module])
        before = stamp(path)
        try:
            report = program.check(module, path) if sources.relevant(module, path) else None
        except Exception:  # mypy's process tries again, and says what is wrong
            report = None
        if report is None:
            yield no_answer(module)
            continue
        read.add(module)
        used = sources.imported(module, path, among=read)
        yield Answer(before, report.findings, used).encode(module)
