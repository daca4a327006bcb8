"""Which bytes of a file are the tokens: recognise the format by its first bytes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from typedtorch.data.binary import kind_of
from typedtorch.data.errors import DataError
from typedtorch.data.tokenfile import HEADER_BYTES, MAGIC, Header

_NPY = b"\x93NUMPY"
# llm.c: 256 int32 of header: magic, version, number of tokens
_LLMC = {20240520: ("uint16", 1), 20240801: ("uint32", 7)}
_LLMC_HEADER_BYTES = 1024
_NPY_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
_DTYPES: dict[str, np.dtype[np.integer]] = {
    "uint8": np.dtype("u1"),
    "uint16": np.dtype("<u2"),
    "uint32": np.dtype("<u4"),
    "uint64": np.dtype("<u8"),
    "int8": np.dtype("i1"),
    "int16": np.dtype("<i2"),
    "int32": np.dtype("<i4"),
    "int64": np.dtype("<i8"),
}
# what is surely no array of integers, though any bytes could be read as one
_NOT_RAW = {
    suffix: f"a {suffix} file"
    for suffix in (
        ".npz", ".zip", ".gz", ".bz2", ".xz", ".zst", ".tar", ".pt", ".pth", ".ckpt", ".safetensors",
        ".parquet", ".arrow", ".txt", ".md", ".json", ".jsonl", ".csv", ".py", ".html", ".pkl",
    )
}  # fmt: skip


@dataclass(frozen=True)
class Layout:
    """Where the tokens lie in a file and what they are."""

    dtype: np.dtype[np.integer]
    offset: int
    count: int
    vocab: int | None
    separator: int = -1
    sha256: bytes = b""


def is_token_file(path: Path) -> bool:
    """Whether a file is tokens (by name or first bytes) rather than text."""
    if path.suffix in {".bin", ".npy", ".tok"}:
        return True
    with open(path, "rb") as file:
        return file.read(8) == MAGIC


def identify(path: Path, dtype: str | None = None, vocab: int | None = None) -> Layout:
    """Recognise a token file.

    Raises:
        DataError: missing, not a regular file, empty, damaged, of the wrong size, or of another dtype.
    """
    if dtype is not None and dtype not in _DTYPES:
        raise DataError(path, f"a token dtype out of {', '.join(_DTYPES)}", dtype)
    try:
        with open(path, "rb") as file:
            head, size = file.read(_LLMC_HEADER_BYTES), os.fstat(file.fileno()).st_size
    except OSError as error:
        raise DataError(path, "a readable file", error.strerror or repr(error)) from error
    if not head:
        raise DataError(path, "tokens", "an empty file")
    if head.startswith(MAGIC) or (path.suffix == ".tok" and dtype is None):
        layout = _ours(path, head)
    elif head.startswith(_NPY) or (path.suffix == ".npy" and dtype is None):
        layout = _npy(path, vocab)
    elif len(head) == _LLMC_HEADER_BYTES and int.from_bytes(head[:4], "little") in _LLMC:
        layout = _llmc(path, head, vocab)
    elif dtype is None and (other := kind_of(head) or _NOT_RAW.get(path.suffix)):
        hint = "pack text with pack_files, save arrays with numpy.save, or say the dtype"
        raise DataError(path, "a file of tokens", other, hint)
    else:
        layout = _raw(path, size, _DTYPES[dtype or "uint16"], vocab)
    if dtype is not None and _DTYPES[dtype] != layout.dtype:
        raise DataError(path, f"tokens of {dtype}", f"a file that says it holds {layout.dtype.name}")
    _check_size(path, layout, size)
    if vocab is not None and layout.vocab is not None and vocab < layout.vocab:
        raise DataError(path, f"a vocabulary of at least {layout.vocab}", f"{vocab}")
    return layout


def _check_size(path: Path, layout: Layout, size: int) -> None:
    wanted = layout.offset + layout.count * layout.dtype.itemsize
    if size != wanted:
        raise DataError(path, f"{wanted} bytes for {layout.count} tokens", f"{size} bytes")
    if not layout.count:
        raise DataError(path, "tokens", "none")


def _ours(path: Path, head: bytes) -> Layout:
    header = Header.unpack(head[:HEADER_BYTES], path)
    dtype = np.dtype(f"<u{header.itemsize}")
    return Layout(dtype, HEADER_BYTES, header.count, header.vocab, header.separator, header.sha256)


def _npy(path: Path, vocab: int | None) -> Layout:
    with open(path, "rb") as file:
        try:
            version = np.lib.format.read_magic(file)
            shape, _, dtype = _NPY_HEADERS[version](file)
        except (ValueError, KeyError) as error:
            raise DataError(path, "a .npy header", str(error)) from error
        offset = file.tell()
    if len(shape) != 1 or dtype not in _DTYPES.values():
        wanted = f"a one-dimensional little-endian array of {', '.join(_DTYPES)}"
        raise DataError(path, wanted, f"{dtype.str} {shape}")
    return Layout(dtype, offset, shape[0], vocab)


def _llmc(path: Path, head: bytes, vocab: int | None) -> Layout:
    magic, version, count = np.frombuffer(head, "<i4")[:3].tolist()
    dtype, known = _LLMC[magic]
    if version != known or count < 0:
        raise DataError(path, f"an llm.c header of version {known}", f"version {version}, {count} tokens")
    return Layout(_DTYPES[dtype], _LLMC_HEADER_BYTES, count, vocab)


def _raw(path: Path, size: int, dtype: np.dtype[np.integer], vocab: int | None) -> Layout:
    if size % dtype.itemsize:
        raise DataError(
            path, f"a whole number of {dtype.name} tokens", f"{size} bytes", "is the dtype right?"
        )
    return Layout(dtype, 0, size // dtype.itemsize, vocab)
