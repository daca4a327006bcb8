"""The second process of ``ahead``: checks the modules it is told of, in order, a line of answer for each."""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from typedtorch.mypy_plugin.ahead import Answer, stamp
from typedtorch.shapes.sources import Sources


def main() -> None:
    """Read the task from standard input, write answers to standard output."""
    gc.disable()  # it lives for seconds
    task = json.load(sys.stdin)
    try:
        for line in answers(task["files"], task["check"]):
            print(line, flush=True)
    except BrokenPipeError:
        sys.stderr.close()  # mypy has ended, and nobody listens


def answers(files: Mapping[str, str], check: list[str]) -> Iterator[str]:
    """An answer for each module that can concern tensors, but for those in which the engine fails."""
    from typedtorch.shapes.infer import Program  # noqa: PLC0415  # the task is read before the rules load

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
        if not sources.relevant(module, path):
            continue
        before = stamp(path)
        try:
            report = program.check(module, path)
        except Exception:  # mypy's process tries again, and says what is wrong
            continue
        read.add(module)
        used = sources.imported(module, path, among=read)
        yield Answer(before, report.findings, used).encode(module)
