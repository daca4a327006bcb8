"""Answers that are kept from one run of mypy to the next, beside its own cache.

When one module of an import cycle changes mypy checks all of them anew, and what is known of their shapes
still holds for nearly all: for those whose text is the same, as is that of all modules which it rests on.
Where it does not hold mypy's own result for the module is no longer good either, whatever mypy thinks of it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import astuple
from pathlib import Path
from typing import TypedDict

from mypy.options import Options

from typedtorch.mypy_plugin import digest
from typedtorch.mypy_plugin.ahead import Answer, stamp
from typedtorch.mypy_plugin.digest import Texts
from typedtorch.shapes.findings import Finding

_FOLDER = "typedtorch"


def folder(options: Options) -> Path | None:
    """Where to keep things; None where mypy keeps nothing itself."""
    keeps = options.incremental and options.cache_dir != os.devnull and not options.fine_grained_incremental
    return Path(options.cache_dir) / _FOLDER if keeps else None


class _Entry(TypedDict):
    """What is written of one module; each text is given by its path and a digest."""

    by: str  # the engine
    of: list[str]
    used: dict[str, list[str]]
    absent: list[str]
    findings: list[list[object]]


class Kept:
    """One file for each module; where one cannot be read or written it is as if there were none."""

    def __init__(self, folder: Path | None, texts: Texts, find: Callable[[str], Path | None]) -> None:
        self._folder = folder
        self._texts = texts
        self._find = find
        self._there = _modules(self._folder)
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
        if self._folder is None or len(used) < len(answer.used):
            return
        entry = self._entries[module] = _Entry(
            by=digest.engine(),
            of=self._text(path),
            used=used,
            absent=sorted(answer.absent),
            findings=[list(astuple(finding)) for finding in answer.findings],
        )
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            beside = self._folder / f"{module}.{os.getpid()}"
            beside.write_text(json.dumps(entry), encoding="utf-8")
            beside.replace(self._folder / f"{module}.json")

    def forget(self, module: str) -> None:
        """There is no answer for a module any more."""
        if self._folder is not None and self._entry(module) is not None:
            self._entries[module] = None
            with suppress(OSError):
                (self._folder / f"{module}.json").unlink()

    def _entry(self, module: str) -> _Entry | None:
        if module not in self._entries and module in self._there and self._folder is not None:
            self._entries[module] = _read(self._folder / f"{module}.json")
        return self._entries.get(module)

    def _state(self, module: str) -> list[str] | None:
        path = self._find(module)
        return None if path is None else self._text(str(path))

    def _text(self, path: str) -> list[str]:
        return [path, self._texts.of(path)]


def _modules(folder: Path | None) -> frozenset[str]:
    try:
        return frozenset(name.removesuffix(".json") for name in os.listdir(folder)) if folder else frozenset()
    except OSError:
        return frozenset()


def _read(path: Path) -> _Entry | None:
    try:
        entry: _Entry = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return entry if isinstance(entry, dict) and entry.get("by") == digest.engine() else None
