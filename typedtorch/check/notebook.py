"""Notebooks: the code cells one after another as one source, and the cell and line of each of its lines.

What only IPython understands (``%magic``, ``!command``, ``name?``) is replaced, line for line, where Python
refuses it; so a line that could be both, such as one of an expression that goes on with ``% n``, stays.

https://nbformat.readthedocs.io/en/latest/format_description.html
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from typedtorch.shapes import syntax
from typedtorch.shapes.findings import Finding

SUFFIX = ".ipynb"

_CELL_MAGIC = re.compile(r"%%(\w+)")
_RUN_IN_PLACE = {"time", "timeit", "capture", "prun"}  # magics whose cell is Python of this notebook
_TIMED = re.compile(r"(?<!\S)%time[ \t](?=[ \t]*[^-\s])")  # so is the rest of the line
_KEPT = re.compile(r"([ \t]*[\w.,*()\[\]\"' \t]+?)[ \t]*=[ \t]*[%!]")
_LINE = re.compile(r"(?<=\(line )\d+(?=\))|(?<=on line )\d+\b")
_ESCAPED = re.compile(r"[ \t]*(?:[%!?]|[^#\"'(]+\?[ \t]*$)")


class NotebookError(ValueError):
    """A file that is no notebook, or one of another language; the text says which."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A code cell: its text, the Python in it, and if there is none the line, column and reason."""

    source: str
    python: str
    refusal: tuple[int, int, str] | None = None


@dataclass(frozen=True, slots=True)
class Notebook:
    """The code cells; cells are counted from 1, and so are the lines of each."""

    cells: tuple[Cell, ...]

    @classmethod
    def read(cls, data: bytes) -> Notebook:
        """Read the file format.

        Raises:
            NotebookError: there are no cells, or not of Python.
        """
        return cls(tuple(map(_cell, _sources(data))))

    @property
    def text(self) -> str:
        """One source, with as many lines for each cell as it has."""
        return "".join(f"{cell.python}\n" for cell in self.cells)

    def place(self, finding: Finding) -> Finding:
        """A finding in ``text`` as one in a cell."""
        starts = list(accumulate((c.source.count("\n") + 1 for c in self.cells), initial=1))[:-1]
        number = bisect_right(starts, finding.line)
        if not number:
            return finding
        before = starts[number - 1] - 1

        def told(mentioned: re.Match[str]) -> str:
            line = int(mentioned[0])
            cell = bisect_right(starts, line)
            in_cell = line - starts[cell - 1] + 1
            return f"{in_cell}" if cell == number else f"{in_cell} of cell {cell}"

        return finding._replace(
            cell=number,
            line=finding.line - before,
            end_line=finding.end_line - before,
            message=_LINE.sub(told, finding.message),
        )

    def refusals(self, path: str) -> Iterator[Finding]:
        """Cells that are no Python, and so were not checked."""
        for number, cell in enumerate(self.cells, 1):
            if cell.refusal is not None:
                line, column, why = cell.refusal
                yield Finding(path, line, column, line, column + 1, "syntax", why, cell=number)


def _sources(data: bytes) -> list[str]:
    try:
        book = json.loads(data)
        about = book.get("metadata", {})
        language = (
            about.get("language_info", {}).get("name")
            or about.get("kernelspec", {}).get("language")
            or "python"
        )
        cells = ["".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise NotebookError("cannot be read as a notebook of format 4") from error
    if not str(language).lower().startswith(("python", "ipython")):
        raise NotebookError(f"its language is {language}, not Python")
    return ["\n".join(cell.splitlines()) for cell in cells]


def _cell(source: str) -> Cell:
    blank = "\n" * source.count("\n")
    try:
        return Cell(source, python(source))
    except SyntaxError as error:
        return Cell(source, blank, (error.lineno or 1, max((error.offset or 1) - 1, 0), error.msg))
    except (RecursionError, MemoryError):
        return Cell(source, blank, (1, 0, "too deeply nested to be read"))
    except ValueError as error:
        return Cell(source, blank, (1, 0, str(error)))


def python(cell: str) -> str:
    """The lines of a cell, without what only IPython understands.

    Nothing remains of a cell in another language, nor of one that is indented as a whole.

    Raises:
        SyntaxError: what is left is no Python.

    >>> python("%matplotlib inline\\nfiles = !ls\\nif x:\\n  %time y = f(x)")
    'pass\\nfiles = get_ipython()\\nif x:\\n  pass; y = f(x)'
    >>> python("%%bash\\nls")
    '\\n'
    """
    lines = cell.split("\n")
    first = next((i for i, line in enumerate(lines) if line.strip()), 0)
    magic = _CELL_MAGIC.match(lines[first])
    if lines[first][:1].isspace() or (magic is not None and magic[1] not in _RUN_IN_PLACE):
        return "\n" * (len(lines) - 1)
    if magic is not None:
        lines[first] = ""
    while True:
        try:
            syntax.read("\n".join(lines))
        except SyntaxError as error:
            if not _replaced(lines, (error.lineno or 0) - 1):
                raise
        else:
            return "\n".join(lines)


def _replaced(lines: list[str], at: int) -> bool:
    """Whether a line is one for IPython; what takes its place binds the same names."""
    if not 0 <= at < len(lines):
        return False
    line = lines[at]
    if _TIMED.search(line):
        lines[at] = _TIMED.sub("pass; ", line, count=1)  # as wide as it was
        return True
    kept = _KEPT.match(line)
    if kept is None and not _ESCAPED.match(line):
        return False
    indent = line[: len(line) - len(line.lstrip())]
    lines[at] = f"{kept[1]} = get_ipython()" if kept is not None else f"{indent}pass"
    while line.endswith("\\") and at + 1 < len(lines):
        at += 1
        line, lines[at] = lines[at], ""
    return True
