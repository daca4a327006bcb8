"""Files that are either the old one or the whole new one, never a part of it."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from typedtorch.data.errors import WriteError


def fsync_folder(folder: Path) -> None:
    """Make the names in ``folder`` durable; a rename alone may be lost in a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def writable_target(path: Path) -> Path:
    """The regular file that writing ``path`` replaces: a symlink is followed, anything else refused.

    Raises:
        WriteError: a folder, device, socket or pipe is in the way, or the parent is no folder.
    """
    real = Path(os.path.realpath(path))
    if not real.parent.is_dir():
        raise WriteError(path, f"an existing folder {real.parent}", "none")
    with contextlib.suppress(FileNotFoundError):
        mode = real.stat().st_mode
        if not stat.S_ISREG(mode):
            raise WriteError(path, "a regular file or nothing", _kind(mode))
    return real


def _kind(mode: int) -> str:
    names = (
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISCHR, "a character device"),
        (stat.S_ISBLK, "a block device"),
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISSOCK, "a socket"),
    )
    return next((name for test, name in names if test(mode)), "something else")


@contextlib.contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A new file that takes the name ``path`` only when the block ends without an error.

    The bytes go to a temporary name in the same folder, are flushed to the disk, then renamed, and the
    folder is flushed; a crash at any moment leaves the old file or the new one.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_file(f"{folder}/a") as file:
    ...         _ = file.write(b"whole")
    ...     os.listdir(folder), open(f"{folder}/a", "rb").read()
    (['a'], b'whole')

    Raises:
        WriteError: the target cannot be replaced, or the disk refused (full, read-only).
    """
    target = writable_target(Path(path))
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        temporary.unlink(missing_ok=True)  # of a process of this number that was killed
        with open(temporary, "xb", opener=not_for_all) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
        fsync_folder(target.parent)
    except OSError as error:
        raise WriteError(path, "a complete write", error.strerror or repr(error)) from error
    finally:
        temporary.unlink(missing_ok=True)


def not_for_all(path: str, flags: int) -> int:
    """An opener of files that only their owner may write, whatever the umask allows."""
    return os.open(path, flags, 0o644)


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """:func:`atomic_file` for bytes that are at hand."""
    with atomic_file(path) as file:
        file.write(data)
