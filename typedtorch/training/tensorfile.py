"""Tensors in the safetensors format, written and read in one pass that also gives the checksum.

The format is the library's (https://github.com/huggingface/safetensors): eight bytes of length, a JSON
header, the raw bytes; the library reads what is written here. Written here because a checkpoint needs every
byte hashed and flushed to the disk, without a second copy of a state that may fill half the memory.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import queue
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

import torch
from torch import Tensor

from typedtorch.training.errors import DamagedCheckpoint

_CHUNK = 8 << 20
_ALIGNMENT = 64
_NAMES = {
    torch.bool: "BOOL", torch.uint8: "U8", torch.int8: "I8", torch.uint16: "U16", torch.int16: "I16",
    torch.uint32: "U32", torch.int32: "I32", torch.uint64: "U64", torch.int64: "I64",
    torch.float16: "F16", torch.bfloat16: "BF16", torch.float32: "F32", torch.float64: "F64",
    torch.complex64: "C64", torch.float8_e4m3fn: "F8_E4M3", torch.float8_e5m2: "F8_E5M2",
}  # fmt: skip
_DTYPES = {name: dtype for dtype, name in _NAMES.items()}


class HashingThread:
    """sha256 in another thread: hashlib releases the interpreter, so it hides behind reading or writing."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()
        self._chunks: queue.Queue[memoryview | None] = queue.Queue(maxsize=8)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while (chunk := self._chunks.get()) is not None:
            self._digest.update(chunk)

    def update(self, chunk: memoryview) -> None:
        """Hash ``chunk`` soon; it must not change before :meth:`hexdigest`."""
        self._chunks.put(chunk)

    def hexdigest(self) -> str:
        """Wait for everything and give the digest."""
        self.close()
        return self._digest.hexdigest()

    def close(self) -> None:
        """End the thread."""
        if self._thread.is_alive():
            self._chunks.put(None)
            self._thread.join()


def write_tensors(file: BinaryIO, tensors: Mapping[str, Tensor]) -> str:
    """Write ``tensors`` to an open file and return the sha256 of what was written.

    Raises:
        TypeError: a dtype the format has no name for.
    """
    hashing = HashingThread()
    try:
        for chunk in _chunks(tensors):
            hashing.update(chunk)
            file.write(chunk)
        return hashing.hexdigest()
    finally:
        hashing.close()


def _chunks(tensors: Mapping[str, Tensor]) -> Iterator[memoryview]:
    yield memoryview(_header(tensors))
    for tensor in tensors.values():
        data = _bytes_of(tensor.detach().to("cpu").contiguous()).numpy().data
        for start in range(0, len(data), _CHUNK):
            yield data[start : start + _CHUNK]


def _bytes_of(tensor: Tensor) -> Tensor:
    return tensor.reshape(-1).view(torch.uint8) if tensor.numel() else torch.empty(0, dtype=torch.uint8)


def _header(tensors: Mapping[str, Tensor]) -> bytes:
    entries: dict[str, object] = {}
    offset = 0
    for name, tensor in tensors.items():
        if tensor.dtype not in _NAMES:
            raise TypeError(f"{name}: {tensor.dtype} has no name in the safetensors format")
        end = offset + tensor.numel() * tensor.element_size()
        entries[name] = {
            "dtype": _NAMES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [offset, end],
        }
        offset = end
    text = json.dumps(entries, separators=(",", ":")).encode()
    text += b" " * (-(len(text) + 8) % _ALIGNMENT)  # the data begins aligned
    return len(text).to_bytes(8, "little") + text


def read_checked(path: Path, size: int, sha256: str) -> memoryview:
    """The bytes of a file, read once and compared with what its manifest promises.

    Raises:
        DamagedCheckpoint: missing, not a regular file, another size or another checksum.
    """
    data = torch.empty(size, dtype=torch.uint8)
    view, done, hashing = data.numpy().data, 0, HashingThread()
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        with open(descriptor, "rb", buffering=0) as file:
            found = os.fstat(file.fileno()).st_size
            if found != size:
                raise DamagedCheckpoint(path, f"{size} bytes", f"{found} bytes")
            while done < size and (step := file.readinto(view[done : done + _CHUNK])):
                hashing.update(view[done : done + step])
                done += step
    except OSError as error:
        raise DamagedCheckpoint(path, "a readable regular file", error.strerror or repr(error)) from error
    finally:
        digest = hashing.hexdigest()
    if digest != sha256:
        raise DamagedCheckpoint(path, f"sha256 {sha256[:16]}…", f"{digest[:16]}…")
    return view


def parse_tensors(data: memoryview, path: Path) -> dict[str, Tensor]:
    """The tensors in safetensors bytes, sharing their memory.

    Raises:
        DamagedCheckpoint: the header does not describe these bytes.
    """
    try:
        length = int.from_bytes(data[:8], "little")
        if len(data) < 8 or length > len(data) - 8:
            raise ValueError(f"a header of {length} bytes in {len(data)}")
        entries = json.loads(bytes(data[8 : 8 + length]))
        entries.pop("__metadata__", None)
        body = torch.frombuffer(data[8 + length :], dtype=torch.uint8) if len(data) > 8 + length else None
        return {name: _parse_one(body, entry) for name, entry in entries.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RuntimeError) as error:
        raise DamagedCheckpoint(path, "a safetensors file", f"{type(error).__name__}: {error}") from error


def _parse_one(body: Tensor | None, entry: Mapping[str, object]) -> Tensor:
    dtype, shape, offsets = _DTYPES[str(entry["dtype"])], entry["shape"], entry["data_offsets"]
    if not isinstance(shape, list) or not isinstance(offsets, list) or any(n < 0 for n in shape):
        raise ValueError(f"shape {shape} at {offsets}")
    start, end = offsets
    wanted = math.prod(shape) * dtype.itemsize
    if not 0 <= start <= end <= (0 if body is None else len(body)) or end - start != wanted:
        raise ValueError(f"offsets {offsets} for {wanted} bytes")
    if body is None or start == end:
        return torch.empty(shape, dtype=dtype)
    raw = body[start:end]
    if raw.data_ptr() % _ALIGNMENT:
        raw = raw.clone()  # torch reads some bytes as structures: a generator's state must not be crooked
    return raw.view(dtype).reshape(shape)
