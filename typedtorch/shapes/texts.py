"""Digests of texts: of the program's, which answers rest on, and of the engine's own, which made them."""

from __future__ import annotations

import hashlib
import os
import sys
from functools import cache
from pathlib import Path

from typedtorch.shapes.store import Store

_ENGINE = Path(__file__).parent
_of_folders: dict[Path, str] = {}


class Texts:
    """Digests of files, each read once."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def of(self, path: str) -> str:
        """Of a file; empty for one that cannot be read."""
        if path not in self._known:
            try:
                self.seen(path, Path(path).read_bytes())
            except OSError:
                self._known[path] = ""
        return self._known[path]

    def seen(self, path: str, data: bytes) -> None:
        """What a file holds, which has been read already."""
        if path not in self._known:
            self._known[path] = of_bytes(data)


def of_bytes(data: bytes) -> str:
    """Of what a file holds."""
    return hashlib.blake2b(data, digest_size=12).hexdigest()


def of_text(text: str) -> str:
    """Of a text."""
    return of_bytes(text.encode(errors="surrogatepass"))


def of_sources(folder: Path) -> str:
    """Of all Python files below a folder."""
    if folder not in _of_folders:
        files = sorted(folder.rglob("*.py"))
        _of_folders[folder] = of_bytes(b"\0".join(path.name.encode() + path.read_bytes() for path in files))
    return _of_folders[folder]


@cache
def engine() -> str:
    """Of the engine's and the rules' sources, and of the Python that parses for them.

    Editing a rule rechecks every module that it concerns.
    """
    return of_text(f"{sys.version_info} {of_sources(_ENGINE)}")


def know(store: Store, *folders: Path) -> None:
    """Of the engine's sources and of other folders' as a store has them: to read them all takes a while.

    They hold for as long as no file's time and size have changed, and are worked out and stored if one has.
    """
    for folder in (_ENGINE, *folders):
        name, state = f"sources of {folder.name}", _state(folder)
        of, _, known = (store.read(name) or b"").decode(errors="replace").partition(" ")
        if of == state and known:
            _of_folders.setdefault(folder, known)
        else:
            store.write(name, f"{state} {of_sources(folder)}".encode())


def _state(folder: Path) -> str:
    seen, folders = [], [str(folder)]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    status = entry.stat()
                    seen.append(f"{entry.path} {status.st_mtime_ns} {status.st_size}")
                elif entry.name != "__pycache__" and entry.is_dir():
                    folders.append(entry.path)
    return of_text("\n".join(sorted(seen)))
