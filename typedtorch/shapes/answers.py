"""What was found in one module and what that rests on, kept from one run to the next.

An answer holds for as long as the text of its module is the same, that of all modules which it rests on, and
those that were looked for in vain are still not there.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypedDict

from typedtorch.shapes import texts
from typedtorch.shapes.conftests import conftest_files
from typedtorch.shapes.findings import Coverage, Finding
from typedtorch.shapes.store import Store
from typedtorch.shapes.texts import Texts

Stamp = tuple[int, int]


def stamp(path: Path) -> Stamp:
    """What changes when a file does."""
    try:
        status = path.stat()
    except OSError:
        return (0, 0)
    return (status.st_mtime_ns, status.st_size)


class Answer(NamedTuple):
    """The findings of one module, the state of its file then, and what else they rest on.

    That is the text of other modules, and that there are none of some names.
    """

    stamp: Stamp
    findings: list[Finding]
    used: frozenset[str]
    absent: frozenset[str]
    coverage: Coverage = Coverage()


class _Entry(TypedDict):
    """What is written of one module; each text is given by its path and a digest."""

    by: str  # the engine
    of: list[str]
    around: list[str]
    used: dict[str, list[str]]
    absent: list[str]
    findings: list[list[object]]
    coverage: list[int]


class Kept:
    """One piece of a store for each module.

    ``around`` is what answers rest on besides texts that are named, of a module and its file.
    """

    def __init__(
        self,
        store: Store,
        texts: Texts,
        find: Callable[[str], Path | None],
        around: Callable[[str, Path], list[str]] = lambda module, path: [],
    ) -> None:
        self._store = store
        self._texts = texts
        self._find = find
        self._around = around
        self._entries: dict[str, _Entry | None] = {}

    def holds(self, module: str) -> bool | None:
        """Whether the answer for a module holds as far as texts tell; None if there is none."""
        entry = self._entry(module)
        if entry is None:
            return None
        missed = {name for name in entry["absent"] if name.endswith("conftest")}
        if missed and any(name in missed for name, _ in conftest_files(module, Path(entry["of"][0]))):
            return False
        return all(self._text(state[0]) == state for state in (entry["of"], *entry["used"].values()))

    def answer(self, module: str, path: str) -> Answer | None:
        """The answer for a module, if there is one that holds."""
        entry = self._entry(module)
        if (
            entry is None
            or entry["of"] != self._text(path)
            or any(self._find(name) is not None for name in entry["absent"])
            or any(self._state(name) != state for name, state in entry["used"].items())
            or entry["around"] != self._around(module, Path(path))
        ):
            return None
        findings = [Finding(*values) for values in entry["findings"]]  # type: ignore[arg-type]  # of our own
        used, absent = frozenset(entry["used"]), frozenset(entry["absent"])
        return Answer(stamp(Path(path)), findings, used, absent, Coverage(*entry["coverage"]))

    def keep(self, module: str, path: str, answer: Answer) -> None:
        """What was found in a module, for later runs."""
        used = {name: state for name in sorted(answer.used) if (state := self._state(name)) is not None}
        if not self._store.keeps or len(used) < len(answer.used):
            return
        entry = self._entries[module] = _Entry(
            by=texts.engine(),
            of=self._text(path),
            around=self._around(module, Path(path)),
            used=used,
            absent=sorted(answer.absent),
            findings=[list(finding) for finding in answer.findings],
            coverage=list(answer.coverage),
        )
        self._store.write(f"{module}.json", json.dumps(entry).encode())

    def forget(self, module: str) -> None:
        """There is no answer for a module any more."""
        self._entries[module] = None
        self._store.remove(f"{module}.json")

    def _entry(self, module: str) -> _Entry | None:
        if module not in self._entries:
            self._entries[module] = _read(self._store.read(f"{module}.json"))
        return self._entries[module]

    def _state(self, module: str) -> list[str] | None:
        path = self._find(module)
        return None if path is None else self._text(str(path))

    def _text(self, path: str) -> list[str]:
        return [path, self._texts.of(path)]


def _read(data: bytes | None) -> _Entry | None:
    try:
        entry: _Entry | None = None if data is None else json.loads(data)
    except ValueError:
        return None
    return entry if isinstance(entry, dict) and entry.get("by") == texts.engine() else None
