"""Bytes with a checksum for every 4 MiB: written in one pass, verified as they are read.

A CRC-32 notices every change of up to 32 neighbouring bits, every one or two changed bits, and all but one in
four thousand million others; with one for every part an error also says where. It is there to find what a
disk, a network or a dying process did to a file, and costs a fraction of the writing. (Against somebody who
means harm no checksum that lies beside the file helps, sha256 neither: that is why nothing read is executed.)
"""

from __future__ import annotations

import hashlib
import itertools
import os
import zlib
from bisect import bisect_right
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeGuard

from typedtorch.training.errors import DamagedCheckpoint

PART = 4 << 20
_THREADS = min(8, os.cpu_count() or 1)


class CheckedWriter:
    """Writes to an open file and sums what passes.

    >>> import io
    >>> writer = CheckedWriter(io.BytesIO())
    >>> writer.write(b"123456789")
    >>> writer.entry()
    {'bytes': 9, 'part': 4194304, 'crc32': [3421780262]}
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._sums, self._bytes = file, list[int](), 0

    def write(self, data: bytes | memoryview) -> None:
        """Write all of ``data``; a memoryview is of bytes."""
        view, done = memoryview(data), 0
        while done < len(view):
            inside = self._bytes % PART
            piece = view[done : done + PART - inside]
            if inside:
                self._sums[-1] = zlib.crc32(piece, self._sums[-1])
            else:
                self._sums.append(zlib.crc32(piece))
            self._file.write(piece)  # right after: the piece is still in the processor's cache
            self._bytes += len(piece)
            done += len(piece)

    def entry(self) -> dict[str, object]:
        """What the manifest says about the file, for :class:`CheckedFile`."""
        return {"bytes": self._bytes, "part": PART, "crc32": self._sums}


@dataclass(frozen=True)
class Entry:
    """Size and checksums of one file: a CRC-32 for each part, or as in format 1 one sha256 for the whole."""

    size: int
    part: int
    sums: tuple[int, ...]
    sha256: str = ""

    @classmethod
    def parse(cls, path: Path, raw: object) -> Entry:
        """What :meth:`CheckedWriter.entry` gave, back from a manifest that may hold anything.

        Raises:
            DamagedCheckpoint: it is no such entry.
        """
        fields = raw if isinstance(raw, dict) else {}
        size, part, sums = fields.get("bytes"), fields.get("part", PART), fields.get("crc32", [])
        sha256 = fields.get("sha256", "")
        if _whole(size) and _whole(part) and part and isinstance(sums, list) and isinstance(sha256, str):
            parts = 0 if sha256 else -(-size // part)
            if len(sums) == parts and all(map(_whole, sums)):
                return cls(size, part, tuple(sums), sha256)
        raise DamagedCheckpoint(path, "a size and checksums in the manifest", repr(raw)[:80])


def _whole(value: object) -> TypeGuard[int]:
    return type(value) is int and value >= 0


class CheckedFile:
    """An open file that is believed only once every byte of it was read and compared.

    Raises:
        DamagedCheckpoint: it is missing, no regular file, or of another size.
    """

    def __init__(self, path: Path, entry: object) -> None:
        self.path, self.entry = path, Entry.parse(path, entry)
        try:
            # neither a link elsewhere, nor a pipe that would hold us up
            self._descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError as error:
            raise self._unreadable(error) from error
        found = os.fstat(self._descriptor).st_size
        if found != self.entry.size:
            os.close(self._descriptor)
            raise DamagedCheckpoint(path, f"{self.entry.size} bytes", f"{found} bytes")

    def __enter__(self) -> CheckedFile:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)

    def head(self, length: int) -> bytes:
        """The first bytes, not compared with anything."""
        data = bytearray(min(length, self.entry.size))
        self._fill(memoryview(data), 0)
        return bytes(data)

    def read(self, segments: Sequence[memoryview]) -> None:
        """Fill ``segments``, which follow each other and together are as long as the file, and compare.

        Several threads read and sum, a part each.

        Raises:
            DamagedCheckpoint: another checksum, saying from where.
        """
        places = list(itertools.accumulate(map(len, segments), initial=0))

        def read_part(start: int) -> int:
            stop, sum_ = min(start + self.entry.part, self.entry.size), 0
            for i in range(bisect_right(places, start) - 1, len(segments)):
                if places[i] >= stop:
                    break
                piece = segments[i][max(0, start - places[i]) : stop - places[i]]
                self._fill(piece, max(start, places[i]))
                sum_ = zlib.crc32(piece, sum_)
            return sum_

        starts = range(0, self.entry.size, self.entry.part)
        with ThreadPoolExecutor(min(_THREADS, max(1, len(starts))), "typedtorch-load") as pool:
            self._compare(list(pool.map(read_part, starts)), segments)

    def read_bytes(self) -> bytes:
        """The whole file, compared.

        Raises:
            DamagedCheckpoint: another checksum.
        """
        data = bytearray(self.entry.size)
        self.read([memoryview(data)])
        return bytes(data)

    def _fill(self, piece: memoryview, offset: int) -> None:
        done = 0
        while done < len(piece):
            try:
                step = os.preadv(self._descriptor, [piece[done:]], offset + done)
            except OSError as error:
                raise self._unreadable(error) from error
            if not step:
                raise DamagedCheckpoint(self.path, f"{self.entry.size} bytes", f"{offset + done} bytes")
            done += step

    def _compare(self, found: list[int], segments: Sequence[memoryview]) -> None:
        if self.entry.sha256:
            digest = hashlib.sha256()
            for segment in segments:
                digest.update(segment)
            if (hexdigest := digest.hexdigest()) != self.entry.sha256:
                raise DamagedCheckpoint(self.path, f"sha256 {self.entry.sha256[:16]}…", f"{hexdigest[:16]}…")
            return
        pairs = zip(self.entry.sums, found, strict=True)
        wrong = [(i, wanted, got) for i, (wanted, got) in enumerate(pairs) if wanted != got]
        if wrong:
            first, wanted, got = wrong[0]
            where = f"{len(wrong)} of {len(found)} parts, the first from byte {first * self.entry.part}"
            raise DamagedCheckpoint(self.path, f"crc32 {wanted:08x}", f"{got:08x}", where)

    def _unreadable(self, error: OSError) -> DamagedCheckpoint:
        return DamagedCheckpoint(self.path, "a readable regular file", error.strerror or repr(error))
