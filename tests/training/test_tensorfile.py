"""Tensors in the safetensors format: the library reads ours, we read the library's, and nothing else."""

import hashlib
import io
import json
from pathlib import Path

import pytest
import safetensors.torch
import torch
from torch import Tensor

from typedtorch.training.errors import DamagedCheckpoint
from typedtorch.training.tensorfile import parse_tensors, read_checked, write_tensors

DTYPES = [
    torch.bool, torch.uint8, torch.int8, torch.uint16, torch.int16, torch.uint32, torch.int32, torch.int64,
    torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.float8_e4m3fn, torch.float8_e5m2,
]  # fmt: skip


def examples() -> dict[str, Tensor]:
    found = {
        str(d): torch.randint(0, 2, (3, 5)).to(torch.float32).to(d)
        if d not in (torch.uint16, torch.uint32)
        else torch.ones(3, 5, dtype=torch.int32).view(d)
        for d in DTYPES
    }
    return {**found, "scalar": torch.tensor(2.5), "empty": torch.empty(0, 4), "turned": torch.randn(4, 3).T}


def equal(a: dict[str, Tensor], b: dict[str, Tensor]) -> bool:
    return a.keys() == b.keys() and all(
        a[k].dtype == b[k].dtype
        and a[k].shape == b[k].shape
        and bytes(a[k].contiguous().reshape(-1).view(torch.uint8).numpy())
        == bytes(b[k].contiguous().reshape(-1).view(torch.uint8).numpy())
        for k in a
    )


def written(tensors: dict[str, Tensor]) -> tuple[bytes, str]:
    file = io.BytesIO()
    digest = write_tensors(file, tensors)
    return file.getvalue(), digest


def test_the_library_reads_what_we_write() -> None:
    tensors = examples()
    data, _ = written(tensors)
    assert equal(safetensors.torch.load(data), tensors)


def test_we_read_what_the_library_writes(tmp_path: Path) -> None:
    tensors = {k: t.contiguous() for k, t in examples().items()}
    data = safetensors.torch.save(tensors, metadata={"format": "pt"})
    assert equal(parse_tensors(memoryview(bytearray(data)), tmp_path), tensors)


def test_the_digest_is_that_of_the_file() -> None:
    data, digest = written(examples())
    assert hashlib.sha256(data).hexdigest() == digest


def test_every_flipped_byte_is_noticed(tmp_path: Path) -> None:
    data, digest = written({"w": torch.arange(40.0)})
    path = tmp_path / "a.safetensors"
    path.write_bytes(data)
    read_checked(path, len(data), digest)
    for where in range(len(data)):
        changed = bytearray(data)
        changed[where] ^= 1
        path.write_bytes(changed)
        with pytest.raises(DamagedCheckpoint, match="sha256"):
            read_checked(path, len(data), digest)


def test_every_truncation_is_noticed(tmp_path: Path) -> None:
    data, digest = written({"w": torch.arange(40.0)})
    path = tmp_path / "a.safetensors"
    for length in range(len(data)):
        path.write_bytes(data[:length])
        with pytest.raises(DamagedCheckpoint, match=f"expected {len(data)} bytes, found {length} bytes"):
            read_checked(path, len(data), digest)


def test_a_symlink_is_not_followed(tmp_path: Path) -> None:
    data, digest = written({"w": torch.ones(2)})
    (tmp_path / "real").write_bytes(data)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(DamagedCheckpoint, match="a readable regular file"):
        read_checked(tmp_path / "link", len(data), digest)


HOSTILE = [
    {"w": {"dtype": "F32", "shape": [4], "data_offsets": [0, 8]}},
    {"w": {"dtype": "F32", "shape": [4], "data_offsets": [8, 24]}},
    {"w": {"dtype": "F32", "shape": [-4], "data_offsets": [0, 16]}},
    {"w": {"dtype": "F32", "shape": [1 << 62, 4], "data_offsets": [0, 16]}},
    {"w": {"dtype": "F32", "shape": [4], "data_offsets": [-16, 0]}},
    {"w": {"dtype": "F99", "shape": [4], "data_offsets": [0, 16]}},
    {"w": {"dtype": "F32", "shape": "4", "data_offsets": [0, 16]}},
    {"w": {"dtype": "F32", "shape": [4]}},
    {"w": 3},
    [1, 2],
]


@pytest.mark.parametrize("header", HOSTILE)
def test_a_header_that_lies_is_refused(header: object, tmp_path: Path) -> None:
    text = json.dumps(header).encode()
    data = bytearray(len(text).to_bytes(8, "little") + text + bytes(16))
    with pytest.raises(DamagedCheckpoint, match="expected a safetensors file"):
        parse_tensors(memoryview(data), tmp_path)


@pytest.mark.parametrize(
    "data", [b"", b"abc", b"\xff" * 8, (1 << 40).to_bytes(8, "little") + b"{}", b"\x02" + bytes(7)]
)
def test_bytes_that_are_no_file_are_refused(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(DamagedCheckpoint):
        parse_tensors(memoryview(bytearray(data)), tmp_path)


def test_a_dtype_without_a_name_is_refused() -> None:
    with pytest.raises(TypeError, match=r"w: torch\.complex128 has no name in the safetensors format"):
        written({"w": torch.ones(2, dtype=torch.complex128)})
