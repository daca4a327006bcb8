"""Tensors in the safetensors format, written straight from memory and read straight into it.

The format is the library's (https://github.com/huggingface/safetensors): eight bytes of length, a JSON
header, the raw bytes; the library reads what is written here. Written here because a checkpoint needs every
byte summed and flushed to the disk, without a second copy of a state that may fill half the memory.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Protocol

import torch
from jaxtyping import Shaped, UInt8
from torch import Tensor

from typedtorch.training.checked import CheckedFile
from typedtorch.training.errors import DamagedCheckpoint

_ALIGNMENT = 64
_NAMES = {
    torch.bool: "BOOL", torch.uint8: "U8", torch.int8: "I8", torch.uint16: "U16", torch.int16: "I16",
    torch.uint32: "U32", torch.int32: "I32", torch.uint64: "U64", torch.int64: "I64",
    torch.float16: "F16", torch.bfloat16: "BF16", torch.float32: "F32", torch.float64: "F64",
    torch.complex64: "C64", torch.float8_e4m3fn: "F8_E4M3", torch.float8_e5m2: "F8_E5M2",
}  # fmt: skip
_DTYPES = {name: dtype for dtype, name in _NAMES.items()}
_METADATA, _COMPLEX = "__metadata__", "complex128"
"""Where a header names the pairs of float64 that are complex numbers, which the format cannot say."""


class Writer(Protocol):
    """What takes bytes."""

    def write(self, data: bytes | memoryview, /) -> object: ...


def write_tensors(writer: Writer, tensors: Mapping[str, Tensor]) -> None:
    """Write ``tensors`` as one safetensors file, each straight from its memory.

    Raises:
        TypeError: a dtype the format has no name for.
    """
    writer.write(_header(tensors))
    for tensor in tensors.values():
        writer.write(bytes_of(_in_order(tensor)).numpy().data)


def _in_order(tensor: Shaped[Tensor, "*shape"]) -> Shaped[Tensor, "*shape"]:
    """The values on the CPU, row by row."""
    return tensor.detach().to("cpu").contiguous()


def bytes_of(tensor: Shaped[Tensor, "*shape"]) -> UInt8[Tensor, "bytes"]:
    """The memory of a tensor whose values lie in order."""
    return tensor.reshape(-1).view(torch.uint8) if tensor.numel() else torch.empty(0, dtype=torch.uint8)


def _header(tensors: Mapping[str, Tensor]) -> bytes:
    entries: dict[str, object] = {}
    offset = 0
    for name, tensor in tensors.items():
        entries[name], offset = _entry(name, tensor, offset)
    pairs = [name for name, tensor in tensors.items() if tensor.dtype == torch.complex128]
    if pairs:
        entries[_METADATA] = {_COMPLEX: json.dumps(pairs)}
    text = json.dumps(entries, separators=(",", ":")).encode()
    text += b" " * (-(len(text) + 8) % _ALIGNMENT)  # the data begins aligned
    return len(text).to_bytes(8, "little") + text


def _entry(name: str, tensor: Shaped[Tensor, "*shape"], offset: int) -> tuple[dict[str, object], int]:
    """What the header says of a tensor whose data begins at ``offset``, and where they end."""
    paired = tensor.dtype == torch.complex128
    if not paired and tensor.dtype not in _NAMES:
        raise TypeError(f"{name}: {tensor.dtype} has no name in the safetensors format")
    end = offset + tensor.numel() * tensor.element_size()
    return {
        "dtype": "F64" if paired else _NAMES[tensor.dtype],
        "shape": [*tensor.shape, 2] if paired else list(tensor.shape),
        "data_offsets": [offset, end],
    }, end


def read_tensors(file: CheckedFile) -> dict[str, Tensor]:
    """The tensors of a safetensors file, each read into memory of its own, in the order of the file.

    Raises:
        DamagedCheckpoint: the header does not describe the file, or a checksum differs.
    """
    head, tensors = _parse(file)
    again = bytearray(len(head))
    file.read([memoryview(again), *(bytes_of(tensor).numpy().data for tensor in tensors.values())])
    if again != head:
        raise DamagedCheckpoint(file.path, "a file that nobody changes", "another header than a moment ago")
    return tensors


def _parse(file: CheckedFile) -> tuple[bytes, dict[str, Tensor]]:
    """The head, and the tensors it describes, not yet filled."""
    try:
        length = int.from_bytes(file.head(8), "little")
        body = file.entry.size - 8 - length
        if body < 0:
            raise ValueError(f"a header of {length} bytes in {file.entry.size}")
        head = file.head(8 + length)
        entries = json.loads(head[8:])
        pairs = json.loads((entries.pop(_METADATA, None) or {}).get(_COMPLEX, "[]"))
        entries = dict(sorted(entries.items(), key=lambda item: item[1]["data_offsets"]))
        tensors, end = {}, 0
        for name, entry in entries.items():
            tensors[name], end = _empty(entry, end, body)
            if name in pairs:
                tensors[name] = torch.view_as_complex(tensors[name])
        if end != body:
            raise ValueError(f"tensors of {end} bytes in {body}")
        return head, tensors
    except (ValueError, KeyError, TypeError, AttributeError, RuntimeError, RecursionError) as error:
        raise DamagedCheckpoint(
            file.path, "a safetensors file", f"{type(error).__name__}: {error}"
        ) from error


def _empty(entry: Mapping[str, object], begin: int, body: int) -> tuple[Tensor, int]:
    """Room for one tensor, and where it ends; each begins where the one before ended."""
    dtype, shape, offsets = _DTYPES[str(entry["dtype"])], entry["shape"], entry["data_offsets"]
    if not isinstance(shape, list) or any(type(n) is not int or n < 0 for n in shape):
        raise ValueError(f"shape {shape}")
    end = begin + math.prod(shape) * dtype.itemsize
    if offsets != [begin, end] or end > body:
        raise ValueError(f"offsets {offsets} where {[begin, end]} of {body} were wanted")
    return torch.empty(shape, dtype=dtype), end
