"""Digests of texts: of the program's, which answers rest on, and of the engine's own, which made them."""

from __future__ import annotations

import hashlib
import sys
from functools import cache
from pathlib import Path


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
    files = sorted(folder.rglob("*.py"))
    return of_bytes(b"\0".join(path.name.encode() + path.read_bytes() for path in files))


@cache
def engine() -> str:
    """Of the engine's and the rules' sources, and of the Python that parses for them.

    Editing a rule rechecks every module that it concerns.
    """
    return of_text(f"{sys.version_info} {of_sources(Path(__file__).parent)}")
