"""The files around a module, and whether any of them has changed.

They are those of the whole project, or of the module's package where there is no project around it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from typedtorch.shapes.sources import is_installed, sources_under
from typedtorch.shapes.texts import of_text

MAX_FILES = 20_000
# A project's folder holds one of these, and is at most so far above the folder that imports start from.
LEVELS = 3
_OF_PROJECTS = ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "README.md", ".git")
# What was read so lately is what the files hold; of large packages for ten times as long as reading took.
SECONDS, TIMES = 1.0, 10


class Neighbours:
    """Some sources and their states, listed when they are asked for."""

    def __init__(self, find: Callable[[], Iterator[Path]]) -> None:
        self._find = find
        self._stamps: dict[Path, tuple[int, int]] = {}
        self._state = ""
        self.holds = 0.0  # until when

    @property
    def stamps(self) -> dict[Path, tuple[int, int]]:
        """The files, and what changes when one of them does; the same dict as long as nothing has."""
        start = time.monotonic()
        if start > self.holds:
            stamps = {}
            for path in sorted(set(self._find()))[:MAX_FILES]:
                with suppress(OSError):
                    status = path.stat()
                    stamps[path] = (status.st_mtime_ns, status.st_size)
            if stamps != self._stamps:
                self._stamps, self._state = stamps, ""
            end = time.monotonic()
            self.holds = end + max(SECONDS, TIMES * (end - start))
        return self._stamps

    @property
    def state(self) -> str:
        """A digest of all states; no file is read for it."""
        stamps = self.stamps
        if not self._state:
            self._state = of_text(repr([(str(path), *stamp) for path, stamp in stamps.items()]))
        return self._state


_known: dict[tuple[Path, Path | None], Neighbours] = {}


def neighbours(module: str, path: Path) -> Neighbours:
    """Those of a module and its file."""
    return _around(path.parent, module.count(".") + (path.stem == "__init__"))


def look_again() -> None:
    """Files may have changed, however little time has passed."""
    for known in _known.values():
        known.holds = 0.0


@cache
def _around(folder: Path, depth: int) -> Neighbours:
    """Those of modules in a folder, which is so far below the one that imports start from."""
    folders = [folder.absolute(), *folder.absolute().parents]
    depth = min(depth, len(folders) - 1)
    start, package = folders[depth], folders[depth - 1] if depth else None
    project = _project(start)
    if project is not None:
        return _known.setdefault((project, None), Neighbours(lambda: sources_under(project)))
    return _known.setdefault((start, package), Neighbours(lambda: _sources(start, package)))


def _project(folder: Path) -> Path | None:
    """The folder of the project that a folder belongs to."""
    if is_installed(folder / "__init__.py"):
        return None
    above = [folder, *folder.parents][: 1 + LEVELS]
    return next((p for p in above if any((p / name).exists() for name in _OF_PROJECTS)), None)


def _sources(folder: Path, package: Path | None) -> Iterator[Path]:
    """The sources of the package, and those in the folder that it stands in."""
    yield from folder.glob("*.py")
    if package is not None:
        yield from sources_under(package)
