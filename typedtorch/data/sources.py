"""Open what holds tokens: our token file, ``.npy``, a raw array, or an llm.c ``.bin``.

Every read goes through ``pread`` on one open descriptor (or through memory, for a file that is small beside
the memory at hand). A memory map would be as fast and would kill the process when somebody truncates the
file; a short ``pread`` is an exception.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from dataclasses import replace
from itertools import repeat
from pathlib import Path

import numpy as np
from jaxtyping import Int64, Integer

from typedtorch.data.errors import DataError
from typedtorch.data.layout import Layout, identify
from typedtorch.data.tokens import (
    Closing,
    OpenTokens,
    RowBuffer,
    Tokens,
    check_bounds,
    check_open,
    check_slice,
)

_NOWAIT: int = getattr(os, "RWF_NOWAIT", 0)  # Linux: read what is cached, and nothing else
_LARGEST_SCAN = 8 << 30  # beyond this, looking for the largest id takes too long to do unasked
_LARGEST_VOCAB = 1 << 22  # no tokenizer has so many; integers of another width read as ids do


class MemoryTokens(Closing):
    """Tokens held in memory.

    >>> tokens = MemoryTokens(np.arange(10, dtype=np.uint8), vocab=10)
    >>> out = RowBuffer(np.empty((2, 3), np.uint8))
    >>> tokens.read(np.array([0, 7]), out)
    >>> out.rows.tolist()
    [[0, 1, 2], [7, 8, 9]]

    Raises:
        DataError: not a one-dimensional array of integers; negative ones, unless ``vocab`` is given.
    """

    def __init__(
        self,
        array: np.ndarray,
        *,
        vocab: int | None = None,
        separator: int = -1,
        name: str = "<memory>",
        fingerprint: str | None = None,
    ) -> None:
        array = np.asarray(array)
        if array.ndim != 1 or array.dtype.kind not in "ui":
            raise DataError(name, "a one-dimensional array of integers", f"{array.dtype} {array.shape}")
        self.array, self.name, self.separator = np.ascontiguousarray(array), name, separator
        self.dtype: np.dtype[np.integer] = array.dtype
        self._count = len(array)
        self.vocab = vocab if vocab is not None else _largest_id(name, array) + 1
        self._windows: dict[int, np.ndarray] = {}
        self._fingerprint = fingerprint  # of the file they were read from

    def __len__(self) -> int:
        return self._count

    def close(self) -> None:
        """Let the memory go, as far as nobody else holds it; reading afterwards raises."""
        vars(self).pop("array", None)
        self._windows.clear()

    @property
    def _closed(self) -> bool:
        return "array" not in vars(self)

    def read(self, starts: Int64[np.ndarray, "batch"], out: RowBuffer, /) -> None:
        """Fill the rows of ``out`` with the tokens that follow each start."""
        length = out.rows.shape[1]
        check_open(self, self._closed)
        check_bounds(self, starts, length)
        windows = self._windows.get(length)
        if windows is None:
            windows = np.lib.stride_tricks.sliding_window_view(self.array, length)
            self._windows[length] = windows
        out.rows[...] = windows[starts]
        _check_ids(self, starts, out.rows)

    def slice(self, start: int, stop: int) -> Integer[np.ndarray, "tokens"]:
        """Tokens ``start`` to ``stop`` as a new array."""
        check_open(self, self._closed)
        check_slice(self, start, stop)
        return self.array[start:stop].copy()

    def fingerprint(self) -> str:
        """A digest of what the tokens are; of tokens read from a file, that of the file."""
        if self._fingerprint is not None:
            return self._fingerprint
        check_open(self, self._closed)
        return hashlib.sha256(f"{self.dtype.str} {len(self)} ".encode() + self.array.tobytes()).hexdigest()


class FileTokens(Closing):
    """Tokens read from an open file with ``pread``.

    Raises:
        DataError: the file is missing, empty, of an unknown layout, or its size contradicts its header.
    """

    def __init__(self, path: str | os.PathLike[str], layout: Layout) -> None:
        self._descriptor = -1
        self.path, self.layout = Path(path), layout
        self.name, self.separator, self.dtype = str(path), layout.separator, layout.dtype
        self._descriptor = os.open(path, os.O_RDONLY)
        self.vocab = layout.vocab if layout.vocab is not None else self._largest() + 1

    def __len__(self) -> int:
        return self.layout.count

    def __reduce__(self) -> tuple[type[FileTokens], tuple[str, Layout]]:
        """Copies, and other processes, open the file themselves: a descriptor means nothing to them."""
        return FileTokens, (os.path.abspath(self.path), replace(self.layout, vocab=self.vocab))

    def close(self) -> None:
        """Let the file go; reading afterwards raises."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    __del__ = close

    def read(self, starts: Int64[np.ndarray, "batch"], out: RowBuffer, /) -> None:
        """Fill the rows of ``out`` with the tokens that follow each start."""
        check_open(self, self._descriptor < 0)
        check_bounds(self, starts, out.rows.shape[1])
        offsets = (starts * self.dtype.itemsize + self.layout.offset).tolist()
        if not self._read_cached(out, offsets):
            self._announce(offsets, out.rows.shape[1] * self.dtype.itemsize)
            done = sum(map(os.preadv, repeat(self._descriptor), out.views, offsets))
            if done != out.rows.nbytes:
                raise self._shrank()
        _check_ids(self, starts, out.rows)

    def _read_cached(self, out: RowBuffer, offsets: list[int]) -> bool:
        """Whether all windows were in the system's cache, and are read."""
        if not _NOWAIT:
            return False
        try:
            done = sum(map(os.preadv, repeat(self._descriptor), out.views, offsets, repeat(_NOWAIT)))
        except OSError:  # a window is on the disk, or the file system can not say
            return False
        return done == out.rows.nbytes

    def _announce(self, offsets: list[int], length: int) -> None:
        """Ask for all windows before waiting for the first: the disk then serves them side by side."""
        if hasattr(os, "posix_fadvise"):
            for offset in offsets:
                os.posix_fadvise(self._descriptor, offset, length, os.POSIX_FADV_WILLNEED)

    def slice(self, start: int, stop: int) -> Integer[np.ndarray, "tokens"]:
        """Tokens ``start`` to ``stop`` as a new array."""
        check_open(self, self._descriptor < 0)
        check_slice(self, start, stop)
        wanted = (stop - start) * self.dtype.itemsize
        data, offset = bytearray(wanted), self.layout.offset + start * self.dtype.itemsize
        view, done = memoryview(data), 0
        while done < wanted:  # one pread moves at most 2 GiB
            step = os.preadv(self._descriptor, [view[done : done + (1 << 30)]], offset + done)
            if step == 0:
                raise self._shrank()
            done += step
        return np.frombuffer(data, self.dtype)

    def fingerprint(self) -> str:
        """A digest of what the file holds: its own checksum, or one over the size and 64 samples of it."""
        if self.layout.sha256:
            return self.layout.sha256.hex()
        digest = hashlib.sha256(f"{self.dtype.str} {len(self)} ".encode())
        step = 2048
        for start in np.linspace(0, max(0, len(self) - step), 64, dtype=np.int64).tolist():
            digest.update(self.slice(start, min(start + step, len(self))).tobytes())
        return digest.hexdigest()

    def _largest(self) -> int:
        if len(self) * self.dtype.itemsize > _LARGEST_SCAN:
            raise DataError(self.path, "a vocabulary", "none", "say how large it is: the file is large")
        step = 1 << 24
        parts = (self.slice(i, min(i + step, len(self))) for i in range(0, len(self), step))
        found = max(_largest_id(self.name, part) for part in parts)
        if found >= _LARGEST_VOCAB:
            hint = "is that the dtype? if it is, say how large the vocabulary is"
            raise DataError(self.path, "token ids", f"{found} read as {self.dtype.name}", hint)
        return found

    def _shrank(self) -> DataError:
        size = os.fstat(self._descriptor).st_size
        wanted = self.layout.offset + len(self) * self.dtype.itemsize
        return DataError(self.path, f"{wanted} bytes", f"{size} bytes", "the file was truncated while open")


class TokenSpan:
    """Tokens ``start`` to ``stop`` of a longer sequence, as a sequence of its own."""

    def __init__(self, tokens: Tokens, start: int, stop: int) -> None:
        self.tokens, self.start, self.stop = tokens, start, stop
        self.name, self.vocab, self.separator = tokens.name, tokens.vocab, tokens.separator
        self.dtype = tokens.dtype

    def __len__(self) -> int:
        return self.stop - self.start

    def read(self, starts: Int64[np.ndarray, "batch"], out: RowBuffer, /) -> None:
        """Fill the rows of ``out`` with the tokens that follow each start."""
        check_bounds(self, starts, out.rows.shape[1])
        self.tokens.read(starts + self.start, out)

    def fingerprint(self) -> str:
        """The whole sequence's digest and the place in it."""
        return f"{self.tokens.fingerprint()}[{self.start}:{self.stop}]"


def split(tokens: Tokens, fraction: float) -> tuple[TokenSpan, TokenSpan]:
    """The first part for training and the last ``fraction`` for validation.

    >>> train, held_out = split(MemoryTokens(np.arange(100), vocab=100), 0.1)
    >>> len(train), len(held_out)
    (90, 10)

    Raises:
        ValueError: ``fraction`` is not above 0 and below 1.
    """
    if not 0 < fraction < 1:
        raise ValueError(f"fraction: expected a number above 0 and below 1, got {fraction}")
    cut = len(tokens) - max(1, round(len(tokens) * fraction))
    return TokenSpan(tokens, 0, cut), TokenSpan(tokens, cut, len(tokens))


def open_tokens(
    path: str | os.PathLike[str],
    *,
    dtype: str | None = None,
    vocab: int | None = None,
    in_memory: bool | None = None,
) -> OpenTokens:
    """Open a token file read-only: ours, ``.npy``, llm.c's ``.bin``, or raw little-endian integers.

    ``dtype`` says what raw files hold (uint16 unless said); a file that says so itself must agree. ``vocab``
    is needed for files that do not say it and are too large to scan. ``in_memory`` holds the tokens in memory
    and verifies their checksum where the file has one; unset, that happens to files that fit into an eighth
    of the memory now free. Either way the tokens are used alike.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.arange(50_000, dtype=np.uint16).tofile(f"{folder}/tokens.bin")
    ...     with open_tokens(f"{folder}/tokens.bin", vocab=50_257) as tokens:
    ...         len(tokens), tokens.vocab, tokens.slice(7, 10).tolist()
    (50000, 50257, [7, 8, 9])

    Raises:
        DataError: missing, empty, truncated, damaged or unreadable as tokens.
    """
    layout = identify(Path(path), dtype, vocab)
    file = FileTokens(path, layout)
    if in_memory is None:
        in_memory = layout.count * layout.dtype.itemsize <= _free_memory() // 8
    if not in_memory:
        return file
    with file:
        array, fingerprint = file.slice(0, len(file)), file.fingerprint()
    if layout.sha256 and (found := hashlib.sha256(array.data).digest()) != layout.sha256:
        raise DataError(
            path, f"tokens with sha256 {layout.sha256.hex()[:16]}", found.hex()[:16], "the file is damaged"
        )
    return MemoryTokens(
        array, vocab=file.vocab, separator=file.separator, name=file.name, fingerprint=fingerprint
    )


_MEMINFO = Path("/proc/meminfo")
_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


def _free_memory() -> int:
    """Bytes that can be had: what the system calls available, or what this container may use if less."""
    try:
        found = [os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    except (ValueError, OSError):
        found = [1 << 30]
    with contextlib.suppress(OSError, StopIteration):  # Linux: caches that would be given up count as well
        lines = _MEMINFO.read_text(encoding="ascii").splitlines()
        found = [int(next(line for line in lines if line.startswith("MemAvailable:")).split()[1]) << 10]
    for path in _LIMITS:
        with contextlib.suppress(OSError, ValueError):  # not there, or "max"
            found.append(int(path.read_text(encoding="ascii")))
    return min(found)


def _largest_id(name: str, ids: Integer[np.ndarray, "tokens"]) -> int:
    if ids.dtype.kind == "i" and (least := int(ids.min(initial=0))) < 0:
        raise DataError(name, "token ids from 0", least, "is that the dtype?")
    return int(ids.max(initial=0))


def _check_ids(tokens: Tokens, starts: np.ndarray, rows: np.ndarray) -> None:
    # A negative id is a huge one when read as unsigned, so a single maximum sees both faults.
    unsigned = rows if rows.dtype.kind == "u" else rows.view(f"u{rows.itemsize}")
    if rows.size and int(unsigned.max()) >= tokens.vocab:
        row, column = np.argwhere(unsigned >= tokens.vocab)[0].tolist()
        raise DataError(
            tokens.name,
            f"token ids 0 to {tokens.vocab - 1}",
            f"{rows[row, column]} at token {int(starts[row]) + column}",
        )
