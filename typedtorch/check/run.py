"""Checks a list of files: which need the engine at all, which comments silence what, what went wrong."""

from __future__ import annotations

import io
import re
import sys
import tokenize
import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from typedtorch.check import notebook, processes
from typedtorch.check.finder import Finder, project_roots
from typedtorch.check.targets import Target
from typedtorch.shapes import ignores, syntax
from typedtorch.shapes.answers import Answer, Kept, stamp
from typedtorch.shapes.cores import cores, worth
from typedtorch.shapes.findings import Coverage, Finding
from typedtorch.shapes.given_elsewhere import given_around
from typedtorch.shapes.ignores import Ignores
from typedtorch.shapes.module_attributes import AttributeCheck
from typedtorch.shapes.neighbours import look_again
from typedtorch.shapes.sources import Sources, is_installed
from typedtorch.shapes.store import Store
from typedtorch.shapes.texts import Texts, know, of_sources, of_text

if TYPE_CHECKING:
    from typedtorch.shapes.infer import Reach

Looked = tuple[list[Finding], Coverage]


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of a check: findings in order of place, and for each file how many shapes are known."""

    findings: list[Finding]
    coverage: dict[str, Coverage]
    files: int


@dataclass
class _Group:
    """What files share whose imports are found in the same folders."""

    finder: Finder
    sources: Sources
    attributes: AttributeCheck
    kept: Kept

    @cached_property
    def reach(self) -> Reach:
        from typedtorch.shapes.infer import Program, Reach  # noqa: PLC0415  # the rules take a moment to load

        return Reach(Program(self.finder))


@dataclass(slots=True)
class Checker:
    """Checks files with one model of the program for each folder that imports start from.

    ``jobs`` is the number of processes, 0 to choose it by the amount of work; ``cache`` a folder in which
    answers are kept.
    """

    show_traceback: bool = False
    warn_unused_ignores: bool = False
    jobs: int = 0
    cache: Path | None = None
    _groups: dict[Path, _Group] = field(default_factory=dict)
    _imported: set[Path] = field(default_factory=set)
    _texts: Texts = field(default_factory=Texts)
    _answers: dict[Target, Answer | None] = field(default_factory=dict)

    def __reduce__(self) -> tuple[object, ...]:  # another process begins with nothing
        return Checker, (self.show_traceback, self.warn_unused_ignores, self.jobs, self.cache)

    def run(self, targets: Sequence[Target], *, silenced: Iterable[str] = ()) -> Result:
        """Check every file; findings under a silenced code are left out."""
        look_again()
        silenced = frozenset(silenced)
        findings: list[Finding] = []
        coverage: dict[str, Coverage] = {}
        done = self._in_processes([target for target in targets if self._is_new(target)])
        for target in targets:
            found, known = done.get(target) or self.look(target)
            unwanted = silenced | target.disabled
            findings += [f._replace(path=target.shown) for f in found if f.code not in unwanted]
            if known.total:
                coverage[target.shown] = known
        return Result(_in_order(findings), coverage, len(targets))

    def imported(self) -> frozenset[Path]:
        """The program's own files that the checked files import; those of installed packages are left out."""
        found = (path for group in self._groups.values() for path in group.finder.found())
        return frozenset(self._imported).union(p.absolute() for p in found if not is_installed(p))

    def look(self, target: Target) -> Looked:
        """Check one file."""
        return (self._notebook if target.path.suffix == notebook.SUFFIX else self._file)(target)

    def _is_new(self, target: Target) -> bool:
        """Whether the engine has to look at a file: it speaks of tensors, and no answer is kept."""
        if target.data is not None or target.path.suffix == notebook.SUFFIX:
            return False
        return self._known(target) is None and self._group(target).sources.relevant(
            target.module, target.path
        )

    def _in_processes(self, targets: Sequence[Target]) -> dict[Target, Looked]:
        """The findings of other processes, where there is enough work for more than one."""
        if targets and self.cache is not None:
            _mark(self.cache)
        size = sum(stamp(target.path)[1] for target in targets)
        jobs = self.jobs or worth(size, cores())
        if min(jobs, len(targets)) < 2:
            return {}
        found, imported = processes.look(self, targets, min(jobs, len(targets)))
        self._imported |= imported
        return found

    def _notebook(self, target: Target) -> Looked:
        """The cells as one file."""
        try:
            book = notebook.Notebook.read(target.path.read_bytes() if target.data is None else target.data)
        except OSError as error:
            return [_broken(target, 1, 0, f"cannot be read: {error.strerror or error}")], Coverage()
        except notebook.NotebookError as error:
            return [_broken(target, 1, 0, str(error))], Coverage()
        found, known = self._file(replace(target, data=book.text.encode()))
        return [*map(book.place, found), *book.refusals(target.shown)], known

    def _file(self, target: Target) -> Looked:
        text = _read(target)
        if isinstance(text, Finding):
            return [text], Coverage()
        answer = self._known(target) or self._answer(self._group(target), target, text)
        if isinstance(answer, Finding):
            return [answer], Coverage()
        findings = answer.findings
        switched_off = ignores.read(text) if findings or self.warn_unused_ignores else Ignores()
        shown = [_beside(f, switched_off) for f in findings if not switched_off(f.lines, f.code)]
        shown = shown if text.isascii() else _in_characters(shown, text)
        return [*shown, *self._unused(target, switched_off)], answer.coverage

    def _known(self, target: Target) -> Answer | None:
        """The answer that an earlier run kept for a file, if it is still valid."""
        if target.data is not None:
            return None
        if target not in self._answers:
            kept = self._group(target).kept
            self._answers[target] = kept.answer(target.module, str(target.path))
        return self._answers[target]

    def _answer(self, group: _Group, target: Target, text: str) -> Answer | Finding:
        """The engine's answer for a file, or a finding that says why there is none."""
        parsed = _parse(target, text)
        if isinstance(parsed, Finding):
            return parsed
        if target.data is None and not group.sources.relevant(target.module, target.path):
            return Answer(stamp(target.path), [], frozenset(), frozenset())
        try:
            answer = group.reach.answer(target.module, target.path, text)
        except Exception as error:
            if self.show_traceback:
                traceback.print_exc()
            return _failed(target, error)
        findings = [*answer.findings, *group.attributes(target.module, target.path, parsed)]
        asked = group.attributes.asked - {target.module}
        there = {name for name in asked if group.finder(name) is not None}
        answer = answer._replace(
            findings=findings, used=answer.used | there, absent=answer.absent | (asked - there)
        )
        if target.data is None:
            group.kept.keep(target.module, str(target.path), answer)
        return answer

    def _unused(self, target: Target, comments: Ignores) -> Iterator[Finding]:
        """Ignore comments that silence nothing, where they are to be reported."""
        for line, column, message in comments.unused() if self.warn_unused_ignores else ():
            yield Finding(target.shown, line, column, line, column + 1, "unused-ignore", message)

    def _group(self, target: Target) -> _Group:
        """Scripts of two folders may both import ``model``, so each folder sees its own neighbours."""
        if target.root not in self._groups:
            finder = Finder([target.root, *project_roots(target.root), Path.cwd()])
            seen = [of_sources(Path(__file__).parent), *map(str, finder.roots)]
            folder = self.cache and self.cache / of_text("\n".join(seen))
            store = Store(folder)
            know(store)
            kept = Kept(store, self._texts, finder, _given)
            self._groups[target.root] = _Group(finder, Sources(finder), AttributeCheck(finder), kept)
        return self._groups[target.root]


def _given(module: str, path: Path) -> list[str]:
    """Names of attributes that a file reads and other files assign."""
    return given_around(module, path, path.read_text(encoding="utf-8", errors="replace"))


def _mark(folder: Path) -> None:
    """Mark a folder as a cache, for git and for backup programs."""
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ".gitignore").write_text("*\n")
        (folder / "CACHEDIR.TAG").write_text("Signature: 8a477f597d28d172789f06886806bc55\n")


def _beside(finding: Finding, comments: Ignores) -> Finding:
    """The finding, with a hint where the line's comment ignores other codes: one may be misspelt."""
    others = comments.lines.get(finding.line)
    if not others or finding.severity == "note":
        return finding
    text = f"the comment of this line ignores {', '.join(sorted(others))}, not {finding.code}"
    return finding._replace(hint=f"{finding.hint}; {text}" if finding.hint else text)


def _in_order(findings: list[Finding]) -> list[Finding]:
    """Findings by place; a message that one line has twice is kept once, as mypy does."""
    once = {(f.path, f.cell, f.line, f.severity, f.message): f for f in reversed(findings)}
    return sorted(once.values(), key=lambda f: (f.path, f.cell or 0, f.line, f.column, f.code, f.message))


def _read(target: Target) -> str | Finding:
    """The text of a file in the encoding that it declares."""
    try:
        data = target.path.read_bytes() if target.data is None else target.data
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return io.TextIOWrapper(io.BytesIO(data), encoding).read()
    except OSError as error:
        return _broken(target, 1, 0, f"cannot be read: {error.strerror or error}")
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        why = str(error)
        if why.startswith("invalid or missing encoding"):  # the standard library's words for it
            why = "not UTF-8, and no other encoding is declared"
        return _broken(target, 1, 0, f"cannot be read as Python: {why}")


def _in_characters(findings: Sequence[Finding], text: str) -> list[Finding]:
    """The findings with columns in characters; ``ast`` counts them in bytes."""
    lines = text.split("\n")

    def column(line: int, count: int) -> int:
        return len(lines[line - 1].encode()[:count].decode(errors="ignore")) if line <= len(lines) else count

    return [
        f._replace(column=column(f.line, f.column), end_column=column(f.end_line, f.end_column))
        for f in findings
    ]


def _parse(target: Target, text: str) -> syntax.Syntax | Finding:
    try:
        return syntax.read(text, str(target.path))
    except SyntaxError as error:
        broken = _broken(target, error.lineno or 1, max((error.offset or 1) - 1, 0), error.msg)
        return broken._replace(hint=_newer(error))
    except (RecursionError, MemoryError):
        return _broken(target, 1, 0, "too deeply nested to be read")
    except ValueError as error:
        return _broken(target, 1, 0, str(error))


# What only a newer Python reads: in the line, or in the message of an older one.
_NEWER = (
    ((3, 12), r"\s*(async\s+def|def|class|type)\s+\w+\s*\[|\s*type\s+\w+\s*=|f-string: "),
    ((3, 14), r"multiple exception types must be parenthesized|.*\bt[\"']"),
)


def _newer(error: SyntaxError) -> str | None:
    """A file is read as the Python reads it that runs this; another may be meant."""
    here = sys.version_info[:2]
    for version, pattern in _NEWER:
        if here < version and any(re.match(pattern, text or "") for text in (error.text, error.msg)):
            wanted, ours = (".".join(map(str, each)) for each in (version, here))
            return f"Python {wanted} may read this: typedtorch runs on Python {ours} and reads what that does"
    return None


def _broken(target: Target, line: int, column: int, message: str) -> Finding:
    return Finding(target.shown, line, column, line, column + 1, "syntax", message)


def _failed(target: Target, error: Exception) -> Finding:
    told = f"{type(error).__name__}: {error}"
    message = (
        "not checked: its expressions or branches are nested too deeply"
        if isinstance(error, RecursionError)
        else f"this file could not be checked ({told}): it is a defect of typedtorch, not of your program; "
        "--show-traceback prints what to report"
    )
    return Finding(target.shown, 1, 0, 1, 1, "internal", message, severity="note")
