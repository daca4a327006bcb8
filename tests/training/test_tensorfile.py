"""Tensors in the safetensors format: the library reads ours, we read the library's, and nothing else."""

import io
import json
import os
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
import safetensors.torch
import torch
from torch import Tensor

from typedtorch.training import checked
from typedtorch.training.checked import CheckedFile, CheckedWriter
from typedtorch.training.errors import DamagedCheckpoint
from typedtorch.training.tensorfile import read_tensors, write_tensors

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


def written(tensors: dict[str, Tensor]) -> tuple[bytes, dict[str, object]]:
    file = io.BytesIO()
    writer = CheckedWriter(file)
    write_tensors(writer, tensors)
    return file.getvalue(), writer.entry()


def entry_of(data: bytes) -> dict[str, object]:
    writer = CheckedWriter(io.BytesIO())
    writer.write(data)
    return writer.entry()


def read(path: Path, entry: object) -> dict[str, Tensor]:
    with CheckedFile(path, entry) as file:
        return read_tensors(file)


def test_the_library_reads_what_we_write() -> None:
    tensors = examples()
    data, _ = written(tensors)
    assert equal(safetensors.torch.load(data), tensors)


def test_we_read_what_the_library_writes(tmp_path: Path) -> None:
    tensors = {k: t.contiguous() for k, t in examples().items()}
    data = safetensors.torch.save(tensors, metadata={"format": "pt"})
    (tmp_path / "a").write_bytes(data)
    assert equal(read(tmp_path / "a", entry_of(data)), tensors)


def test_each_tensor_has_aligned_memory_of_its_own(tmp_path: Path) -> None:
    data, entry = written({"a": torch.ones(1), "b": torch.ones(3, dtype=torch.bool), "c": torch.ones(99)})
    (tmp_path / "a").write_bytes(data)
    found = read(tmp_path / "a", entry)
    assert [tensor.data_ptr() % 64 for tensor in found.values()] == [0, 0, 0]
    assert [tensor.untyped_storage().nbytes() for tensor in found.values()] == [4, 3, 396]


def test_a_checksum_is_that_of_each_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checked, "PART", 100)
    data, entry = written(examples())
    sums = [zlib.crc32(data[i : i + 100]) for i in range(0, len(data), 100)]
    assert entry == {"bytes": len(data), "part": 100, "crc32": sums}


@pytest.mark.parametrize("part", [13, 64, 1000])
def test_parts_and_tensors_need_not_end_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: int
) -> None:
    monkeypatch.setattr(checked, "PART", part)
    tensors = examples()
    data, entry = written(tensors)
    path = tmp_path / "a"
    path.write_bytes(data)
    assert equal(read(path, entry), tensors)
    changed = bytearray(data)
    changed[-1] ^= 128
    path.write_bytes(changed)
    last = (len(data) - 1) // part
    with pytest.raises(
        DamagedCheckpoint, match=rf"1 of {last + 1} parts, the first from byte {last * part}\)"
    ):
        read(path, entry)


def test_every_flipped_byte_is_noticed(tmp_path: Path) -> None:
    data, entry = written({"w": torch.arange(40.0)})
    path = tmp_path / "a.safetensors"
    path.write_bytes(data)
    read(path, entry)
    for where in range(len(data)):
        changed = bytearray(data)
        changed[where] ^= 1
        path.write_bytes(changed)
        with pytest.raises(DamagedCheckpoint, match="crc32"), CheckedFile(path, entry) as file:
            file.read_bytes()
        with pytest.raises(DamagedCheckpoint):
            read(path, entry)


def test_every_truncation_is_noticed(tmp_path: Path) -> None:
    data, entry = written({"w": torch.arange(40.0)})
    path = tmp_path / "a.safetensors"
    for length in range(len(data)):
        path.write_bytes(data[:length])
        with pytest.raises(DamagedCheckpoint, match=f"expected {len(data)} bytes, found {length} bytes"):
            read(path, entry)


def test_a_file_cut_while_it_is_read_is_noticed(tmp_path: Path) -> None:
    data, entry = written({"w": torch.arange(40.0)})
    path = tmp_path / "a.safetensors"
    path.write_bytes(data)
    with CheckedFile(path, entry) as file:
        os.truncate(path, 50)
        with pytest.raises(DamagedCheckpoint, match=f"expected {len(data)} bytes, found 50 bytes"):
            file.read_bytes()


def test_a_symlink_is_not_followed(tmp_path: Path) -> None:
    data, entry = written({"w": torch.ones(2)})
    (tmp_path / "real").write_bytes(data)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(DamagedCheckpoint, match="a readable regular file"):
        CheckedFile(tmp_path / "link", entry)


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_a_folder_or_a_pipe_is_refused_at_once(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "odd")
    size = (tmp_path / "odd").stat().st_size
    entry = {"bytes": size, "part": 1 << 20, "crc32": [0] * min(size, 1)}
    with pytest.raises(DamagedCheckpoint):
        read(tmp_path / "odd", entry)


@pytest.mark.parametrize(
    "entry",
    [
        None,
        {},
        {"bytes": 8},
        {"bytes": -8, "part": 4, "crc32": []},
        {"bytes": True, "part": 4, "crc32": [1]},
        {"bytes": 8, "part": 0, "crc32": []},
        {"bytes": 8, "part": 4, "crc32": [1]},
        {"bytes": 8, "part": 4, "crc32": [1, "2"]},
        {"bytes": 8, "part": 4, "crc32": "12"},
        {"bytes": 8, "sha256": 3},
    ],
)
def test_an_entry_that_is_none_is_refused(tmp_path: Path, entry: object) -> None:
    (tmp_path / "a").write_bytes(bytes(8))
    with pytest.raises(DamagedCheckpoint, match="expected a size and checksums in the manifest"):
        CheckedFile(tmp_path / "a", entry)


HOSTILE: list[object] = [
    {"w": {"dtype": "F32", "shape": [4], "data_offsets": [0, 8]}},
    {"w": {"dtype": "F32", "shape": [4], "data_offsets": [8, 24]}},
    {"w": {"dtype": "F32", "shape": [-4], "data_offsets": [0, 16]}},
    {"w": {"dtype": "F32", "shape": [1 << 62, 4], "data_offsets": [0, 16]}},
    {"w": {"dtype": "F32", "shape": [4], "data_offsets": [-16, 0]}},
    {"w": {"dtype": "F99", "shape": [4], "data_offsets": [0, 16]}},
    {"w": {"dtype": "F32", "shape": "4", "data_offsets": [0, 16]}},
    {"w": {"dtype": "F32", "shape": [4]}},
    {"w": {"dtype": "F32", "shape": [0, 1 << 62, 1 << 62], "data_offsets": [0, 0]}},
    {
        "a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
        "b": {"dtype": "F32", "shape": [3], "data_offsets": [4, 16]},
    },
    {"w": 3},
    [1, 2],
]


@pytest.mark.parametrize("header", HOSTILE)
def test_a_header_that_lies_is_refused(header: object, tmp_path: Path) -> None:
    text = json.dumps(header).encode()
    refuse(tmp_path / "a", len(text).to_bytes(8, "little") + text + bytes(16))


@pytest.mark.parametrize(
    "data", [b"", b"abc", b"\xff" * 8, (1 << 40).to_bytes(8, "little") + b"{}", b"\x02" + bytes(7)]
)
def test_bytes_that_are_no_file_are_refused(data: bytes, tmp_path: Path) -> None:
    refuse(tmp_path / "a", data)


def refuse(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    with pytest.raises(DamagedCheckpoint, match="expected a safetensors file"):
        read(path, entry_of(data))


def test_a_dtype_without_a_name_is_refused() -> None:
    with pytest.raises(TypeError, match=r"w: torch\.complex32 has no name in the safetensors format"):
        written({"w": torch.ones(2, dtype=torch.complex32)})


def test_complex_numbers_in_double_precision_are_pairs_to_the_library_and_come_back(tmp_path: Path) -> None:
    tensors = {"w": torch.randn(3, 2, dtype=torch.complex128).T, "one": torch.tensor(1j).to(torch.complex128)}
    data, entry = written(tensors)
    (tmp_path / "file").write_bytes(data)
    found = read(tmp_path / "file", entry)
    assert all(found[name].dtype == torch.complex128 for name in tensors)
    assert all(torch.equal(found[name], value) for name, value in tensors.items())
    theirs = safetensors.torch.load(data)
    assert torch.equal(theirs["w"], torch.view_as_real(tensors["w"].contiguous()))


@pytest.mark.parametrize("names", ["3", '["b"]', "{", '[["a"]]'])
def test_a_header_that_calls_other_numbers_complex_is_refused_or_ignored(tmp_path: Path, names: str) -> None:
    head = {
        "b": {"dtype": "I64", "shape": [2], "data_offsets": [0, 16]},
        "__metadata__": {"complex128": names},
    }
    text = json.dumps(head).encode()
    data = len(text).to_bytes(8, "little") + text + bytes(16)
    if names == '[["a"]]':
        (tmp_path / "file").write_bytes(data)
        assert read(tmp_path / "file", entry_of(data))["b"].dtype == torch.int64
    else:
        refuse(tmp_path / "file", data)
