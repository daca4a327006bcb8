"""Recognise files that are neither text nor plain tokens, though their bytes could be read as either."""

from __future__ import annotations

_HEAD = 8192  # where git looks, too
_BEGINNINGS = {
    b"PK\x03\x04": "a zip archive (.npz, .pt, .docx, ...)",
    b"PAR1": "a Parquet file",
    b"ARROW1": "an Arrow file",
    b"Obj\x01": "an Avro file",
    b"\x89HDF\r\n\x1a\n": "an HDF5 file",
    b"SQLite format 3\0": "an SQLite database",
    b"\x93NUMPY": "a NumPy array",
    b"\x89PNG\r\n": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"II*\0": "a TIFF image",
    b"MM\0*": "a TIFF image",
    b"RIFF": "a WebP, WAV or AVI file",
    b"%PDF-": "a PDF document",
    b"\x1f\x8b\x08": "a gzip archive",
    b"BZh": "a bzip2 archive",
    b"\xfd7zXZ\0": "an xz archive",
    b"\x28\xb5\x2f\xfd": "a zstd archive",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"\x7fELF": "a program",
    b"ID3": "an MP3 file",
    b"OggS": "an Ogg file",
    b"fLaC": "a FLAC file",
}
_WIDE = {b"\xff\xfe": "UTF-16 text", b"\xfe\xff": "UTF-16 text", b"\xff\xfe\0\0": "UTF-32 text"}


def kind_of(head: bytes) -> str | None:
    """What a file is by its first bytes, where they are those of a well-known format that is not text.

    >>> kind_of(b"PAR1 and so on"), kind_of(b"import os")
    ('a Parquet file', None)
    """
    return next((kind for begin, kind in _BEGINNINGS.items() if head.startswith(begin)), None)


def not_text(data: bytes) -> str | None:
    """What a file holds instead of text in UTF-8 or a code page; None where it could be such.

    >>> not_text(b"caf\\xe9"), not_text(b"a\\0b"), not_text("a".encode("utf-16"))
    (None, 'binary data (a zero byte)', 'UTF-16 text')
    """
    if b"\0" in data[:_HEAD]:
        wide = [kind for begin, kind in _WIDE.items() if data.startswith(begin)]
        return kind_of(data) or (wide[-1] if wide else "binary data (a zero byte)")
    return None if data[:4].isascii() else kind_of(data)  # text may begin with the letters PAR1
