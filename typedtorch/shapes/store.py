"""A folder for what is kept from one run to the next."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


class Store:
    """Files by name; where one cannot be read or written it is as if there were none."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._there = _names(folder)

    @property
    def keeps(self) -> bool:
        """Whether anything is kept at all."""
        return self._folder is not None

    def read(self, name: str) -> bytes | None:
        """What is kept under a name."""
        if self._folder is not None and name in self._there:
            with suppress(OSError):
                return (self._folder / name).read_bytes()
        return None

    def write(self, name: str, data: bytes) -> None:
        """Keep something, whole or not at all."""
        if self._folder is None:
            return
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            beside = self._folder / f"{name}.{os.getpid()}"
            beside.write_bytes(data)
            beside.replace(self._folder / name)
            self._there.add(name)

    def remove(self, name: str) -> None:
        """Keep nothing under a name any more."""
        if self._folder is not None and name in self._there:
            self._there.discard(name)
            with suppress(OSError):
                (self._folder / name).unlink()


def _names(folder: Path | None) -> set[str]:
    try:
        return set(os.listdir(folder)) if folder is not None else set()
    except OSError:
        return set()
