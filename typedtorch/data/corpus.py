"""Find text: the standard library's sources, or what a path, folder or glob names."""

from __future__ import annotations

import glob
import hashlib
import os
import sysconfig
from pathlib import Path

from typedtorch.data.errors import DataError

# Not the library itself: installed packages, and tests that hold generated tables and broken code.
_SKIPPED = {"site-packages", "dist-packages", "test", "tests", "idle_test", "__pycache__"}


def standard_library() -> list[Path]:
    """The ``.py`` files of the running Python's standard library, in a fixed shuffled order.

    >>> any(path.name == "dataclasses.py" for path in standard_library())
    True

    Raises:
        DataError: this Python carries no sources.
    """
    root = Path(sysconfig.get_paths()["stdlib"])
    found: list[Path] = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        found += [Path(folder, name) for name in names if name.endswith(".py")]
    if not found:
        raise DataError(root, "the standard library's .py files", "none", "name other text with --data")
    return shuffled(found, root)


def collect_files(pattern: str | os.PathLike[str]) -> list[Path]:
    """The regular files a path, folder (searched through) or glob names, in a fixed shuffled order.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("a.txt", "b.txt", "c.md"):
    ...         _ = Path(folder, name).write_text("words")
    ...     sorted(path.name for path in collect_files(f"{folder}/*.txt")), len(collect_files(folder))
    (['a.txt', 'b.txt'], 3)

    Raises:
        DataError: nothing there.
    """
    if not os.fspath(pattern):  # as a path it would be the present folder
        raise DataError("''", "a file, a folder or a glob", "an empty name")
    path = Path(pattern).expanduser()
    if os.path.isfile(path):  # a Path's own raises where the name is too long
        return [path]
    if os.path.isdir(path):
        found = [p for p in path.rglob("*") if p.is_file() and not _hidden(p.relative_to(path))]
        if not found:
            raise DataError(path, "files", "an empty folder")
        return shuffled(found, path)
    matches = [Path(name) for name in glob.glob(str(path), recursive=True)]
    files = [p for p in matches if p.is_file()]
    if not files and os.path.exists(path):
        raise DataError(path, "a regular file or a folder", "something else")
    if not files:
        raise DataError(pattern, "a file, a folder or a glob that matches", "nothing there")
    return shuffled(files, Path(os.path.commonpath([p.parent for p in files])))


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def shuffled(files: list[Path], root: Path) -> list[Path]:
    """Files in an order that depends on their names below ``root`` alone.

    The held-out tail of the tokens is then a sample of all the files, not the end of the alphabet.
    """

    def key(path: Path) -> bytes:
        return hashlib.sha256(path.relative_to(root).as_posix().encode()).digest()

    return sorted(files, key=key)
