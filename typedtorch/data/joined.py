"""Several token files as one sequence: the shards that large data sets come in."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence

import numpy as np
from jaxtyping import Int64, Integer

from typedtorch.data.errors import DataError
from typedtorch.data.sources import open_tokens
from typedtorch.data.tokens import (
    Closing,
    OpenTokens,
    RowBuffer,
    Tokens,
    check_bounds,
    check_open,
    check_slice,
)


class JoinedTokens(Closing):
    """The tokens of ``parts`` one after the other; a window may begin in one and end in the next.

    >>> from typedtorch.data import MemoryTokens
    >>> tokens = JoinedTokens([MemoryTokens(np.arange(3), vocab=9), MemoryTokens(np.arange(5, 9), vocab=9)])
    >>> out = RowBuffer(np.empty((2, 3), np.int64))
    >>> tokens.read(np.array([1, 4]), out)
    >>> len(tokens), out.rows.tolist()
    (7, [[1, 2, 5], [6, 7, 8]])

    Raises:
        DataError: no parts, or parts of different dtypes or with different separators.
    """

    def __init__(self, parts: Sequence[Tokens]) -> None:
        self.parts = list(parts)
        if not self.parts:
            raise DataError("<joined>", "parts", "none")
        first = self.parts[0]
        for part in self.parts[1:]:
            ours, theirs = (f"{t.dtype.name}, separator {t.separator}" for t in (first, part))
            if ours != theirs:
                raise DataError(part.name, f"{ours} as in {first.name}", theirs)
        self.name = f"{first.name} and {len(self.parts) - 1} more" if len(self.parts) > 1 else first.name
        self.dtype, self.separator = first.dtype, first.separator
        self.vocab = max(part.vocab for part in self.parts)
        self._begins = np.cumsum([0, *map(len, self.parts)])
        self._closed = False

    def __len__(self) -> int:
        return int(self._begins[-1])

    def read(self, starts: Int64[np.ndarray, "batch"], out: RowBuffer, /) -> None:
        """Fill the rows of ``out`` with the tokens that follow each start."""
        length = out.rows.shape[1]
        check_open(self, self._closed)
        check_bounds(self, starts, length)
        first = np.searchsorted(self._begins, starts, "right") - 1
        inside = starts + length <= self._begins[first + 1]
        for index in np.unique(first[inside]).tolist():
            rows = np.flatnonzero(inside & (first == index))
            some = RowBuffer(np.ndarray((len(rows), length), self.dtype))
            self.parts[index].read(starts[rows] - self._begins[index], some)
            out.rows[rows] = some.rows
        for row in np.flatnonzero(~inside).tolist():
            self._read_across(int(starts[row]), int(first[row]), out.rows[row])

    def _read_across(self, start: int, index: int, row: np.ndarray) -> None:
        done = 0
        while done < len(row):
            begin, end = int(self._begins[index]), int(self._begins[index + 1])
            step = min(end - start, len(row) - done)
            if step:
                piece = RowBuffer(np.ndarray((1, step), self.dtype))
                self.parts[index].read(np.array([start - begin]), piece)
                row[done : done + step] = piece.rows[0]
            start, done, index = start + step, done + step, index + 1

    def slice(self, start: int, stop: int) -> Integer[np.ndarray, "tokens"]:
        """Tokens ``start`` to ``stop`` as a new array."""
        check_open(self, self._closed)
        check_slice(self, start, stop)
        found: np.ndarray = np.empty(stop - start, self.dtype)
        self._read_across(start, int(np.searchsorted(self._begins, start, "right")) - 1, found)
        return found

    def close(self) -> None:
        """Close each part that can be closed; reading afterwards raises."""
        self._closed = True
        for part in self.parts:
            if isinstance(part, Closing):
                part.close()

    def fingerprint(self) -> str:
        """A digest of the parts' digests."""
        return hashlib.sha256(" ".join(part.fingerprint() for part in self.parts).encode()).hexdigest()


def open_shards(
    paths: Sequence[str | os.PathLike[str]],
    *,
    dtype: str | None = None,
    vocab: int | None = None,
    in_memory: bool | None = None,
) -> OpenTokens:
    """Open token files as one sequence, in order of their names; see :func:`open_tokens`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     names = [f"{folder}/train_{i}.npy" for i in (1, 0)]
    ...     for name in names:
    ...         np.save(name, np.arange(5, dtype=np.uint16))
    ...     tokens = open_shards(names)
    ...     len(tokens), tokens.vocab, os.path.basename(tokens.name)
    (10, 5, 'train_0.npy and 1 more')

    Raises:
        DataError: a file that cannot be used, or one unlike the first.
    """
    parts = [
        open_tokens(path, dtype=dtype, vocab=vocab, in_memory=in_memory)
        for path in sorted(paths, key=os.fspath)
    ]
    return parts[0] if len(parts) == 1 else JoinedTokens(parts)
