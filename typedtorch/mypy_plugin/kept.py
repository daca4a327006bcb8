"""Answers that are kept from one run of mypy to the next, beside its own cache.

When one module of an import cycle changes mypy checks all of them anew, and what is known of their shapes
still holds for nearly all: for those whose text is the same, as is that of all modules which it rests on.
Where it does not hold mypy's own result for the module is no longer good either, whatever mypy thinks of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import astuple
from pathlib import Path
from typing import TypedDict

from typedtorch.mypy_plugin import digest
from typedtorch.mypy_plugin.ahead import Answer, stamp
from typedtorch.mypy_plugin.digest import Texts
from typedtorch.mypy_plugin.store import Store
from typedtorch.shapes.findings import Finding


class _Entry(TypedDict):
    """What is written of one module; each text is given by its path and a digest."""

    by: str  # the engine
    of: list[str]
    used: dict[str, list[str]]
    absent: list[str]
    findings: list[list[object]]


class Kept:
    """One file of a store for each module."""

    def __init__(self, store: Store, texts: Texts, find: Callable[[str], Path | None]) -> None:
        self._store = store
        self._texts = texts
        self._find = find
        self._entries: dict[str, _Entry | None] = {}

    def holds(self, module: str) -> bool | None:
        """Whether the answer for a module holds as far as texts tell; None if there is none."""
        entry = self._entry(module)
        if entry is None:
            return None
        return all(self._text(state[0]) == state for state in (entry["of"], *entry["used"].values()))

    def answer(self, module: str, path: str) -> Answer | None:
        """The answer for a module, if there is one that holds."""
        entry = self._entry(module)
        if (
            entry is None
            or entry["of"] != self._text(path)
            or any(self._find(name) is not None for name in entry["absent"])
            or any(self._state(name) != state for name, state in entry["used"].items())
        ):
            return None
        findings = [Finding(*values) for values in entry["findings"]]  # type: ignore[arg-type]  # of our own
        return Answer(stamp(Path(path)), findings, frozenset(entry["used"]), frozenset(entry["absent"]))

    def keep(self, module: str, path: str, answer: Answer) -> None:
        """What was found in a module, for later runs."""
        used = {name: state for name in sorted(answer.used) if (state := self._state(name)) is not None}
        if not self._store.keeps or len(used) < len(answer.used):
            return
        entry = self._entries[module] = _Entry(
            by=digest.engine(),
            of=self._text(path),
            used=used,
            absent=sorted(answer.absent),
            findings=[list(astuple(finding)) for finding in answer.findings],
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
    return entry if isinstance(entry, dict) and entry.get("by") == digest.engine() else None
