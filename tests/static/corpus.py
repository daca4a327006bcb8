"""The golden corpus: programs that hold one bug, written beside what was meant.

Every case is one file, or one folder of files, under ``cases/<category>/``.  What stands on disk is the clean
program.  A trailing ``#! code`` says what the buggy twin has in place of that line, so the two differ by
the bug and by nothing else::

    scores = q @ k.transpose(-1, -2)  #! scores = q @ k  # E: shape

On a line of its own ``#! code`` inserts a statement; an empty ``#!`` removes the line.  ``# E: code``
marks a line where the buggy twin must be reported (``a|b``: either code), ``# e: code`` one where a second
report is legitimate.
Comments after the program hold what no checker shall see: ``# run: statement`` drives it with real tensors,
``# quiet: why`` says why the bug does not raise when run (the values must differ then), ``# static: why``
that running cannot show it at all, ``# one: why`` that two of its axis names may be one size.

Programs under ``silent/`` have no buggy twin: they are correct, and nothing may be reported in them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

HERE = Path(__file__).parent
CASES = HERE / "cases"
SILENT = HERE / "silent"

_MARK = re.compile(r"#\s*([Ee]):\s*([a-z|, -]+?)\s*(?=#|$)")
_NOTE = re.compile(r"^# (run|quiet|static|main|one):\s?(.*)$")


@dataclass(frozen=True)
class Case:
    """One pair of programs: ``files`` holds the text on disk by path relative to the case's root."""

    name: str
    root: Path
    files: dict[str, str] = field(repr=False)

    @property
    def category(self) -> str:
        return self.name.split("/", maxsplit=1)[0]

    @cached_property
    def notes(self) -> dict[str, list[str]]:
        """What the trailing comments say: ``run``, ``quiet``, ``static``."""
        found: dict[str, list[str]] = {}
        for text in self.files.values():
            for line in text.splitlines():
                if match := _NOTE.match(line):
                    found.setdefault(match[1], []).append(match[2])
        return found

    @cached_property
    def main(self) -> str:
        """The file whose notes drive the case."""
        return next((path for path, text in self.files.items() if "\n# run:" in text), next(iter(self.files)))

    @property
    def has_bug(self) -> bool:
        return any("#!" in text for text in self.files.values())

    def twin(self, *, buggy: bool) -> dict[str, str]:
        """The files of one twin."""
        return {path: twin(text, buggy=buggy) for path, text in self.files.items()}

    def expected(self, *, optional: bool = False) -> set[tuple[str, int, str]]:
        """(path, line, code) of what must be reported in the buggy twin, or of what may be."""
        kinds = "Ee" if optional else "E"
        return {
            (path, number, code.strip())
            for path, text in self.twin(buggy=True).items()
            for number, line in enumerate(text.splitlines(), start=1)
            for match in _MARK.finditer(line)
            if match[1] in kinds
            for code in match[2].split(",")
        }

    def write(self, folder: Path, *, buggy: bool) -> list[Path]:
        """Write one twin under ``folder`` and return its Python files."""
        paths = []
        for relative, text in self.twin(buggy=buggy).items():
            path = folder / relative
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            paths.append(path)
        return paths


def twin(text: str, *, buggy: bool) -> str:
    """One twin of a file; line numbers are those on disk in both.

    >>> print(twin("y = x.T  #! y = x  # E: shape", buggy=True))
    y = x  # E: shape
    >>> print(twin("y = x.T  #! y = x  # E: shape", buggy=False))
    y = x.T
    """
    return "\n".join(_twin_line(line, buggy=buggy) for line in text.split("\n"))


def _twin_line(line: str, *, buggy: bool) -> str:
    if _NOTE.match(line):
        return ""
    clean, mark, replacement = line.partition("#!")
    if not mark:
        return line if buggy else _MARK.sub("", line).rstrip()
    if not buggy:
        return _MARK.sub("", clean).rstrip()
    indent = line[: len(line) - len(line.lstrip())]
    return (indent + replacement.strip()).rstrip()


def load(root: Path) -> list[Case]:
    """Every case under ``root``, in order."""
    cases = []
    for category in sorted(p for p in root.glob("*") if p.is_dir()):
        for entry in sorted(category.iterdir()):
            if entry.name.startswith(("__pycache__", ".")):
                continue
            name = f"{category.name}/{entry.stem}"
            if entry.is_dir():
                files = {str(p.relative_to(entry)): p.read_text() for p in sorted(entry.rglob("*.py"))}
                cases.append(Case(name, entry, files))
            elif entry.suffix == ".py":
                cases.append(Case(name, category, {entry.name: entry.read_text()}))
    return cases
