"""The token file: a checked header, then the tokens, little-endian.

===== ===== =====================================================
bytes type  meaning
===== ===== =====================================================
0-7   bytes magic ``typedtok``
8     u4    version
12    u4    bytes of one token: 1, 2 or 4 (unsigned)
16    u8    number of tokens
24    u8    vocabulary: every token is below it
32    i8    the token between documents, -1 where there is none
40    bytes sha256 of the tokens (32 bytes)
72    bytes zeros
124   u4    crc32 of the 124 bytes before
===== ===== =====================================================
"""

from __future__ import annotations

import hashlib
import os
import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from typedtorch.data.errors import DataError
from typedtorch.data.files import atomic_file

MAGIC = b"typedtok"
VERSION = 1
HEADER_BYTES = 128
_FIELDS = struct.Struct("<8sIIQQq32s")
_CRC = struct.Struct("<I")


@dataclass(frozen=True)
class Header:
    """What a token file says about itself."""

    itemsize: int
    count: int
    vocab: int
    separator: int
    sha256: bytes

    def pack(self) -> bytes:
        """The 128 bytes at the head of the file."""
        fields = _FIELDS.pack(
            MAGIC, VERSION, self.itemsize, self.count, self.vocab, self.separator, self.sha256
        ).ljust(HEADER_BYTES - _CRC.size, b"\0")
        return fields + _CRC.pack(zlib.crc32(fields))

    @classmethod
    def unpack(cls, raw: bytes, path: Path) -> Header:
        """Read the header back.

        Raises:
            DataError: too short, a wrong magic, a newer version, or a damaged field.
        """
        if len(raw) < HEADER_BYTES:
            raise DataError(path, f"a header of {HEADER_BYTES} bytes", f"{len(raw)} bytes")
        magic, version, itemsize, count, vocab, separator, digest = _FIELDS.unpack_from(raw)
        if magic != MAGIC:
            raise DataError(path, f"a file that begins with {MAGIC!r}", repr(magic))
        if version != VERSION:
            hint = "written by a newer typedtorch" if version > VERSION else "pack it again"
            raise DataError(path, f"token file version {VERSION}", f"version {version}", hint)
        crc = _CRC.unpack_from(raw, HEADER_BYTES - _CRC.size)[0]
        found = zlib.crc32(raw[: HEADER_BYTES - _CRC.size])
        if crc != found:
            raise DataError(path, f"header checksum {crc:08x}", f"{found:08x}", "the header is damaged")
        if itemsize not in (1, 2, 4):
            raise DataError(path, "1, 2 or 4 bytes a token", f"{itemsize}")
        return cls(itemsize, count, vocab, separator, digest)


def token_dtype(vocab: int) -> np.dtype[np.integer]:
    """The smallest unsigned dtype that holds every id below ``vocab``.

    >>> [token_dtype(n).name for n in (256, 257, 50257, 128256)]
    ['uint8', 'uint16', 'uint16', 'uint32']

    Raises:
        ValueError: ``vocab`` is not in 1 .. 2**32.
    """
    if not 1 <= vocab <= 1 << 32:
        raise ValueError(f"vocabulary: expected 1 to 2**32, got {vocab}")
    if vocab <= 1 << 8:
        return np.dtype(np.uint8)
    return np.dtype("<u2") if vocab <= 1 << 16 else np.dtype("<u4")


def write_tokens(
    path: str | os.PathLike[str],
    parts: np.ndarray | Iterable[np.ndarray],
    *,
    vocab: int,
    separator: int = -1,
) -> Header:
    """Write token ids as a token file; ``parts`` may be one array or a stream of arrays.

    The file appears under its name only when it is complete.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     header = write_tokens(f"{folder}/a.tok", np.arange(10), vocab=10)
    ...     header.count, header.itemsize, os.path.getsize(f"{folder}/a.tok")
    (10, 1, 138)

    Raises:
        DataError: an id is negative, not an integer, or not below ``vocab``.
        WriteError: the disk refused.
    """
    dtype, digest, count = token_dtype(vocab), hashlib.sha256(), 0
    with atomic_file(path) as file:
        file.write(bytes(HEADER_BYTES))
        for each in [parts] if hasattr(parts, "__array__") else parts:
            part = np.asarray(each)
            _check_part(Path(path), part, vocab, count)
            data = np.ascontiguousarray(part, dtype)
            digest.update(data.data)
            file.write(data.data)
            count += data.size
        header = Header(dtype.itemsize, count, vocab, separator, digest.digest())
        file.seek(0)
        file.write(header.pack())
    return header


def _check_part(path: Path, part: np.ndarray, vocab: int, before: int) -> None:
    if part.dtype.kind not in "ui" or part.ndim != 1:
        raise DataError(path, "one-dimensional arrays of integers", f"{part.dtype} {part.shape}")
    if part.size and not (int(part.min()) >= 0 and int(part.max()) < vocab):
        where = int(np.flatnonzero((part < 0) | (part >= vocab))[0])
        raise DataError(path, f"token ids 0 to {vocab - 1}", f"{part[where]} at token {before + where}")
