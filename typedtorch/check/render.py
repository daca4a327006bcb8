"""Findings as lines for people, as JSON for programs, and the table of what is known."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from functools import cache, reduce
from pathlib import Path
from typing import TextIO

from typedtorch.check import formats
from typedtorch.check.notebook import Notebook, NotebookError
from typedtorch.check.run import Result
from typedtorch.shapes.findings import Coverage, Finding

_COLOURS = {"error": "\x1b[1;31m", "note": "\x1b[1;36m", "bold": "\x1b[1m", "dim": "\x1b[2m"}
_RESET = "\x1b[0m"


class Style:
    """How to print: with colours, and with the source line under each finding."""

    def __init__(self, *, colour: bool, source: bool) -> None:
        self.colour = colour
        self.source = source

    @classmethod
    def of(cls, stream: TextIO) -> Style:
        """Both on a terminal, neither in a pipe; NO_COLOR and FORCE_COLOR are respected."""
        terminal = stream.isatty()
        colour = (terminal or bool(os.environ.get("FORCE_COLOR"))) and not os.environ.get("NO_COLOR")
        return cls(colour=colour, source=terminal)

    def paint(self, name: str, text: str) -> str:
        return f"{_COLOURS[name]}{text}{_RESET}" if self.colour else text


def text(result: Result, style: Style) -> Iterator[str]:
    """One line per finding, its hint, and at the end one line that sums up."""
    for finding in result.findings:
        yield from _finding(finding, style)
    errors = sum(f.severity == "error" for f in result.findings)
    files = len({f.path for f in result.findings if f.severity == "error"})
    checked = f"checked {_count(result.files, 'source file')}"
    if errors:
        yield style.paint("error", f"Found {_count(errors, 'error')} in {_count(files, 'file')} ({checked})")
    else:
        yield f"No errors ({checked})"


def _finding(finding: Finding, style: Style) -> Iterator[str]:
    where = formats.where(finding)
    severity = style.paint(finding.severity, f"{finding.severity}:")
    code = "" if finding.severity == "note" else f"  {style.paint('dim', f'[{finding.code}]')}"
    yield f"{style.paint('bold', where)}: {severity} {finding.message}{code}"
    if style.source:
        yield from _source(finding, style)
    if finding.hint:
        yield f"{style.paint('bold', where)}: {style.paint('note', 'note:')} {finding.hint}"


def _source(finding: Finding, style: Style) -> Iterator[str]:
    """The line, and carets under the span; of a span over several lines the first is shown."""
    lines = _lines(finding.path, finding.cell)
    if not 0 < finding.line <= len(lines):
        return
    line = lines[finding.line - 1].rstrip()
    start = finding.column
    end = max(finding.end_column if finding.end_line == finding.line else len(line), start + 1)
    margin = "".join("\t" if c == "\t" else " " for c in line[:start])
    yield f"    {line}"
    yield f"    {margin}{style.paint(finding.severity, '^' * (end - start))}"


@cache
def _lines(path: str, cell: int | None) -> list[str]:
    try:
        if cell is None:
            return Path(path).read_text(encoding="utf-8", errors="replace").split("\n")
        return Notebook.read(Path(path).read_bytes()).cells[cell - 1].source.split("\n")
    except (OSError, NotebookError, IndexError):
        return []


def as_json(result: Result) -> str:
    """One document: the findings with all their fields, and the counts behind ``--coverage``."""
    return json.dumps(
        {
            "files": result.files,
            "findings": [finding._asdict() for finding in result.findings],
            "coverage": {path: known._asdict() for path, known in result.coverage.items()},
        },
        indent=2,
    )


def coverage(by_file: Mapping[str, Coverage]) -> Iterator[str]:
    """The share of tensor expressions whose shape is known, by file."""
    if not by_file:
        yield "No tensor expressions found"
        return
    total = reduce(Coverage.plus, by_file.values(), Coverage())
    width = max(map(len, [*by_file, "total"]))
    for path, known in sorted(by_file.items()):
        yield _share(path, known, width)
    yield _share("total", total, width)


def _share(name: str, known: Coverage, width: int) -> str:
    return f"{name:<{width}}  {known.known / known.total:>6.1%}  {known.known} of {known.total}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
