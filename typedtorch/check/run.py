"""Checks a list of files: which need the engine at all, which comments silence what, what went wrong."""

from __future__ import annotations

import ast
import io
import tokenize
import traceback
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from typedtorch.check.finder import Finder, project_roots
from typedtorch.check.targets import Target
from typedtorch.shapes import ignores
from typedtorch.shapes.infer.findings import Coverage, Finding
from typedtorch.shapes.sources import Sources

if TYPE_CHECKING:
    from typedtorch.shapes.infer import Program


@dataclass(frozen=True, slots=True)
class Result:
    """What checking came to: findings in order of place, and by file how many tensors are known."""

    findings: list[Finding]
    coverage: dict[str, Coverage]
    files: int


@dataclass
class _Group:
    """What the files that see the same modules share."""

    finder: Finder
    sources: Sources

    @cached_property
    def program(self) -> Program:
        from typedtorch.shapes.infer import Program  # noqa: PLC0415  # the rule table takes a moment to load

        return Program(self.finder)


@dataclass(slots=True)
class Checker:
    """Checks files with one model of the program for each folder that imports start from."""

    show_traceback: bool = False
    _groups: dict[Path, _Group] = field(default_factory=dict)

    def run(self, targets: Sequence[Target], *, silenced: Iterable[str] = ()) -> Result:
        """Check every file; findings under a silenced code are left out."""
        silenced = frozenset(silenced)
        findings: list[Finding] = []
        coverage: dict[str, Coverage] = {}
        for target in targets:
            found, known = self._file(target)
            findings += [replace(f, path=target.shown) for f in found if f.code not in silenced]
            if known.total:
                coverage[target.shown] = known
        return Result(sorted(findings), coverage, len(targets))

    def _file(self, target: Target) -> tuple[list[Finding], Coverage]:
        text = _read(target)
        broken = text if isinstance(text, Finding) else _syntax_error(target, text)
        if broken is not None:
            return [broken], Coverage()
        assert isinstance(text, str)
        group = self._group(target)
        if not group.sources.relevant(target.module, target.path):
            return [], Coverage()
        try:
            report = group.program.check(target.module, target.path, text)
        except Exception as error:
            if self.show_traceback:
                traceback.print_exc()
            return [_failed(target, error)], Coverage()
        switched_off = ignores.read(text) if report.findings else ignores.Ignores()
        return [f for f in report.findings if not switched_off(f.line, f.code)], report.coverage

    def _group(self, target: Target) -> _Group:
        """Scripts of two folders may both import ``model``, so each folder sees its own neighbours."""
        if target.root not in self._groups:
            finder = Finder([target.root, *project_roots(target.root), Path.cwd()])
            self._groups[target.root] = _Group(finder, Sources(finder))
        return self._groups[target.root]


def _read(target: Target) -> str | Finding:
    """The text of a file in the encoding that it declares."""
    try:
        data = target.path.read_bytes()
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return io.TextIOWrapper(io.BytesIO(data), encoding).read()
    except (OSError, SyntaxError, UnicodeDecodeError, LookupError) as error:
        return _broken(target, 1, 0, f"cannot be read: {error}")


def _syntax_error(target: Target, text: str) -> Finding | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, target.shown, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    except SyntaxError as error:
        return _broken(target, error.lineno or 1, max((error.offset or 1) - 1, 0), error.msg)
    except (ValueError, RecursionError, MemoryError) as error:
        return _broken(target, 1, 0, str(error))
    return None


def _broken(target: Target, line: int, column: int, message: str) -> Finding:
    return Finding(target.shown, line, column, line, column + 1, "syntax", message)


def _failed(target: Target, error: Exception) -> Finding:
    message = (
        f"this file could not be checked ({type(error).__name__}: {error}): it is a defect of typedtorch, "
        "not of your program; --show-traceback prints what to report"
    )
    return Finding(target.shown, 1, 0, 1, 1, "internal", message, severity="note")
