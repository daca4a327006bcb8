"""One file for what is kept from one run to the next.

A program has thousands of modules, and to open a file for each of them takes longer than to read them all.
So whatever is kept is written to the end of one file, in one piece, also where several processes write at
once; of what was written under a name the last counts.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path

if sys.platform != "win32":
    import fcntl

_HEAD = re.compile(rb"(?P<size>\d{1,12}) (?P<name>[^\n]*)\n")
_WASTE = 100_000  # bytes that no longer count, from which it is worth writing the rest anew


class Store:
    """Pieces by name; where the file cannot be read or written it is as if there were none.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Store(Path(folder)).write("net", b"what is known of it")
    ...     Store(Path(folder)).read("net")
    b'what is known of it'
    """

    def __init__(self, folder: Path | None) -> None:
        self._path = None if folder is None else folder / "kept"
        self._pieces = {} if self._path is None else _pieces(self._path)
        self._file: FileIO | None = None

    @property
    def keeps(self) -> bool:
        """Whether anything is kept at all."""
        return self._path is not None

    def read(self, name: str) -> bytes | None:
        """What is kept under a name."""
        return self._pieces.get(name)

    def write(self, name: str, data: bytes) -> None:
        """Keep something, whole or not at all."""
        if self._path is None:
            return
        self._pieces[name] = data
        with suppress(OSError):
            if self._file is None:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._file = FileIO(self._path, "a")
            with _locked(self._file):
                self._file.write(_piece(name, data))

    def remove(self, name: str) -> None:
        """Keep nothing under a name any more."""
        if name in self._pieces:
            self.write(name, b"")
            del self._pieces[name]


@contextmanager
def _locked(file: FileIO) -> Iterator[None]:
    """While nobody else reads or writes, where the system has such locks."""
    if sys.platform == "win32":
        yield
        return
    with suppress(OSError):
        fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_UN)


def _piece(name: str, data: bytes) -> bytes:
    return b"%d %s\n%s\n" % (len(data), name.encode("unicode_escape"), data)


def _pieces(path: Path) -> dict[str, bytes]:
    """All pieces that a file holds; one that was cut short is dropped, and what no longer counts."""
    try:
        with FileIO(path) as file, _locked(file):  # no piece is seen of which only a part is written
            data = file.readall()
    except OSError:
        return {}
    found: dict[str, bytes] = {}
    start = 0
    while head := _HEAD.match(data, start):
        end = head.end() + int(head["size"])
        if data[end : end + 1] != b"\n":
            break
        found[head["name"].decode("unicode_escape", errors="replace")] = data[head.end() : end]
        start = end + 1
    found = {name: piece for name, piece in found.items() if piece}
    written = b"".join(_piece(name, piece) for name, piece in found.items())
    if start < len(data) or len(data) > 2 * len(written) + _WASTE:
        _write_anew(path, written)
    return found


def _write_anew(path: Path, data: bytes) -> None:
    with suppress(OSError):
        beside = path.with_name(f"{path.name}.{os.getpid()}")
        beside.write_bytes(data)
        beside.replace(path)
