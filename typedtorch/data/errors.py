"""Errors about files: which path, what was expected, what was found."""

from __future__ import annotations

from os import PathLike


class FileProblem(Exception):
    """Something is wrong with one file or folder.

    >>> raise FileProblem("a.bin", "16 bytes", "3 bytes", "copy it again")
    Traceback (most recent call last):
    typedtorch.data.errors.FileProblem: a.bin: expected 16 bytes, found 3 bytes (copy it again)
    """

    def __init__(self, path: str | PathLike[str], expected: object, found: object, hint: str = "") -> None:
        self.path, self.expected, self.found, self.hint = str(path), str(expected), str(found), hint
        super().__init__(self.path, self.expected, self.found, hint)

    def __str__(self) -> str:
        tail = f" ({self.hint})" if self.hint else ""
        return f"{self.path}: expected {self.expected}, found {self.found}{tail}"


class DataError(FileProblem, ValueError):
    """A file of tokens or text cannot be used."""


class WriteError(FileProblem):
    """A file could not be written; what was there before is still there."""


class PrefetchError(RuntimeError):
    """The thread that reads batches ahead died or stopped answering."""
