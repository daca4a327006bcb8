"""The token file: what is written is what is read, and nothing damaged is believed."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from typedtorch.data import DataError, WriteError, open_tokens, write_tokens
from typedtorch.data.files import write_atomically
from typedtorch.data.tokenfile import HEADER_BYTES, Header
from typedtorch.data.tokens import OpenTokens, RowBuffer


def read_all(tokens: OpenTokens) -> list[int]:
    out = RowBuffer(np.empty((1, len(tokens)), tokens.dtype))
    tokens.read(np.array([0]), out)
    return [int(t) for t in out.rows[0]]


@settings(max_examples=30, deadline=None)
@given(
    vocab=st.sampled_from([2, 256, 257, 65536, 65537, 1 << 32]),
    shares=st.lists(st.floats(0, 1, exclude_max=True), min_size=1, max_size=50),
    in_memory=st.booleans(),
)
def test_every_id_comes_back(
    tmp_path_factory: pytest.TempPathFactory, vocab: int, shares: list[float], in_memory: bool
) -> None:
    path = tmp_path_factory.mktemp("tokens") / "a.tok"
    ids = [int(share * vocab) for share in shares]
    write_tokens(path, np.array(ids), vocab=vocab, separator=1)
    tokens = open_tokens(path, in_memory=in_memory)
    assert (read_all(tokens), tokens.vocab, tokens.separator) == (ids, vocab, 1)
    width = 1 if vocab <= 256 else 2 if vocab <= 65536 else 4
    assert path.stat().st_size == HEADER_BYTES + width * len(ids)


def test_a_stream_of_parts_equals_one_array(tmp_path: Path) -> None:
    parts = [np.arange(5), np.empty(0, np.int64), np.arange(3)]
    write_tokens(tmp_path / "parts.tok", iter(parts), vocab=5)
    write_tokens(tmp_path / "whole.tok", np.concatenate(parts), vocab=5)
    assert (tmp_path / "parts.tok").read_bytes() == (tmp_path / "whole.tok").read_bytes()


@pytest.mark.parametrize("where", range(0, HEADER_BYTES, 3))
def test_a_flipped_header_byte_is_noticed(tmp_path: Path, where: int) -> None:
    path = tmp_path / "a.tok"
    write_tokens(path, np.arange(20), vocab=20)
    data = bytearray(path.read_bytes())
    data[where] ^= 0x20
    path.write_bytes(data)
    with pytest.raises(DataError, match=r"a\.tok: expected"):
        open_tokens(path, in_memory=False)


def test_a_flipped_token_is_noticed_when_held_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.tok"
    write_tokens(path, np.arange(20), vocab=256)
    data = bytearray(path.read_bytes())
    data[HEADER_BYTES + 7] ^= 1
    path.write_bytes(data)
    with pytest.raises(DataError, match=r"sha256 .* \(the file is damaged\)"):
        open_tokens(path, in_memory=True)


@pytest.mark.parametrize("size", [0, 1, HEADER_BYTES - 1, HEADER_BYTES, HEADER_BYTES + 19, HEADER_BYTES + 21])
def test_another_size_is_noticed(tmp_path: Path, size: int) -> None:
    path = tmp_path / "a.tok"
    write_tokens(path, np.arange(20), vocab=20)
    path.write_bytes(path.read_bytes().ljust(size, b"\0")[:size])
    with pytest.raises(DataError):
        open_tokens(path)


def test_a_newer_version_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.tok"
    write_tokens(path, np.arange(20), vocab=20)
    data = bytearray(path.read_bytes())
    data[8] = 9
    path.write_bytes(data)
    with pytest.raises(DataError, match=r"expected token file version 1, found version 9 .*newer typedtorch"):
        open_tokens(path)


@pytest.mark.parametrize(
    ("array", "found"),
    [
        (np.array([0, 5, 10, 3]), "10 at token 2"),
        (np.array([0, -1]), "-1 at token 1"),
        (np.array([0.5]), "float64"),
        (np.zeros((2, 2), np.int64), r"\(2, 2\)"),
    ],
)
def test_what_is_no_token_is_refused_and_no_file_left(tmp_path: Path, array: np.ndarray, found: str) -> None:
    with pytest.raises(DataError, match=found):
        write_tokens(tmp_path / "a.tok", array, vocab=10)
    assert not list(tmp_path.iterdir())


def test_a_failing_stream_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.tok"
    write_tokens(path, np.arange(4), vocab=4)
    before = path.read_bytes()

    def stream() -> object:
        yield np.arange(4)
        raise RuntimeError("the source broke")

    with pytest.raises(RuntimeError, match="the source broke"):
        write_tokens(path, stream(), vocab=4)  # type: ignore[arg-type]  # a generator of arrays
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["a.tok"]


def test_a_folder_in_the_way_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.tok").mkdir()
    with pytest.raises(WriteError, match="expected a regular file or nothing, found a folder"):
        write_tokens(tmp_path / "a.tok", np.arange(4), vocab=4)


def test_a_device_is_not_replaced() -> None:
    with pytest.raises(WriteError, match="found a character device"):
        write_tokens("/dev/null", np.arange(4), vocab=4)


def test_a_symlink_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "a.tok").symlink_to(tmp_path / "far" / "real.tok")
    write_tokens(tmp_path / "a.tok", np.arange(4), vocab=4)
    assert (tmp_path / "a.tok").is_symlink()
    assert (tmp_path / "far" / "real.tok").stat().st_size == HEADER_BYTES + 4


def test_a_header_survives_packing() -> None:
    header = Header(itemsize=2, count=7, vocab=300, separator=-1, sha256=bytes(range(32)))
    assert Header.unpack(header.pack(), Path("a.tok")) == header


def test_what_a_killed_process_of_the_same_number_left_is_no_obstacle(tmp_path: Path) -> None:
    stale = tmp_path / f".a.{os.getpid()}.tmp"
    stale.write_bytes(b"half")
    write_atomically(tmp_path / "a", b"whole")
    assert [p.name for p in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_bytes() == b"whole"
