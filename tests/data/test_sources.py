"""Token sources: every layout, every way a file can be wrong, and reads that never lie."""

import copy
import errno
import os
import pickle
import weakref
from pathlib import Path

import numpy as np
import pytest
import torch

from typedtorch.data import (
    DataError,
    FileTokens,
    JoinedTokens,
    MemoryTokens,
    OpenTokens,
    RowBuffer,
    get_batch,
    open_shards,
    open_tokens,
    sources,
    split,
    write_tokens,
)
from typedtorch.data.batches import row_buffer

IDS = (np.arange(1000) * 7919) % 500


def rows(tokens: object, starts: list[int], length: int) -> np.ndarray:
    out = row_buffer(len(starts), length - 1, tokens.dtype)  # type: ignore[attr-defined]  # any source
    tokens.read(np.array(starts), out)  # type: ignore[attr-defined]  # any source
    return out.rows.astype(np.int64)


def written(folder: Path, kind: str) -> Path:
    path = folder / f"tokens.{'npy' if kind.startswith('npy') else 'bin'}"
    if kind == "ours":
        write_tokens(path, IDS, vocab=500)
    elif kind.startswith("npy"):
        np.save(path, IDS.astype(kind.removeprefix("npy-")))
    elif kind == "llm.c gpt2":
        head = np.zeros(256, "<i4")
        head[:3] = 20240520, 1, len(IDS)
        path.write_bytes(head.tobytes() + IDS.astype("<u2").tobytes())
    elif kind == "llm.c llama":
        head = np.zeros(256, "<i4")
        head[:3] = 20240801, 7, len(IDS)
        path.write_bytes(head.tobytes() + IDS.astype("<u4").tobytes())
    else:
        IDS.astype(kind).tofile(path)
    return path


NPY = ["npy-uint16", "npy-uint32", "npy-uint64", "npy-int16", "npy-int32", "npy-int64"]
KINDS = ["ours", *NPY, "llm.c gpt2", "llm.c llama"]
RAW = ["uint16", "uint32", "int16", "int32", "int64"]


@pytest.mark.parametrize("in_memory", [True, False])
@pytest.mark.parametrize("kind", [*KINDS, *RAW])
def test_every_layout_gives_the_same_windows(tmp_path: Path, kind: str, in_memory: bool) -> None:
    path = written(tmp_path, kind)
    tokens = open_tokens(path, dtype=kind if kind in RAW else None, in_memory=in_memory)
    assert len(tokens) == 1000
    assert tokens.vocab == 500  # by the header, or as the largest id says
    starts = [0, 991, 13, 500]
    expected = np.stack([IDS[s : s + 9] for s in starts])
    assert (rows(tokens, starts, 9) == expected).all()


@pytest.mark.parametrize("in_memory", [True, False])
@pytest.mark.parametrize("start", [-1, 992, 10**12])
def test_a_start_outside_is_refused(tmp_path: Path, in_memory: bool, start: int) -> None:
    tokens = open_tokens(written(tmp_path, "ours"), in_memory=in_memory)
    with pytest.raises(DataError, match=rf"starts from 0 to 991 for 9 tokens, found start {start}"):
        rows(tokens, [3, start], 9)


@pytest.mark.parametrize("in_memory", [True, False])
def test_an_id_outside_the_vocabulary_is_named_with_its_place(tmp_path: Path, in_memory: bool) -> None:
    path = tmp_path / "raw.bin"
    ids = IDS.copy()
    ids[123] = 60000
    ids.astype("<u2").tofile(path)
    tokens = open_tokens(path, vocab=500, in_memory=in_memory)
    assert rows(tokens, [0, 200], 100).max() < 500
    with pytest.raises(DataError, match=r"raw\.bin: expected token ids 0 to 499, found 60000 at token 123"):
        rows(tokens, [0, 100], 50)


def test_a_negative_id_is_named_too() -> None:
    tokens = MemoryTokens(np.array([1, 2, -7, 3]), vocab=10)
    with pytest.raises(DataError, match="found -7 at token 2"):
        rows(tokens, [0], 4)


@pytest.mark.parametrize("code", [errno.EAGAIN, errno.EOPNOTSUPP, None])
def test_windows_that_are_not_cached_are_announced_and_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int | None
) -> None:
    tokens = open_tokens(written(tmp_path, "npy-uint16"), in_memory=False)
    announced: list[tuple[int, int]] = []
    plain = os.preadv

    def preadv(descriptor: int, views: list[memoryview], offset: int, flags: int = 0) -> int:
        if flags and offset > 500:
            if code is None:
                return plain(descriptor, [views[0][:4]], offset)  # a part is cached
            raise OSError(code, os.strerror(code))
        return plain(descriptor, views, offset)

    def fadvise(descriptor: int, offset: int, length: int, advice: int) -> None:
        announced.append((offset, length))

    monkeypatch.setattr(os, "preadv", preadv)
    monkeypatch.setattr(os, "posix_fadvise", fadvise)
    assert (rows(tokens, [3, 900], 9) == np.stack([IDS[3:12], IDS[900:909]])).all()
    assert announced == [(128 + 2 * 3, 18), (128 + 2 * 900, 18)]


def test_a_file_truncated_under_the_reader_is_an_exception(tmp_path: Path) -> None:
    path = written(tmp_path, "ours")
    tokens = open_tokens(path, in_memory=False)
    rows(tokens, [990], 9)
    for size in (path.stat().st_size - 100, 300, 0):
        os.truncate(path, size)
        with pytest.raises(DataError, match=rf"found {size} bytes \(the file was truncated while open\)"):
            rows(tokens, [0, 990], 9)


def test_a_file_replaced_under_the_reader_is_still_the_old_one(tmp_path: Path) -> None:
    path = written(tmp_path, "ours")
    tokens = open_tokens(path, in_memory=False)
    write_tokens(path, np.zeros(1000, np.int64), vocab=500)
    assert (rows(tokens, [5], 9)[0] == IDS[5:14]).all()


def test_files_are_opened_read_only(tmp_path: Path) -> None:
    path = written(tmp_path, "ours")
    before = path.read_bytes()
    for in_memory in (True, False):
        buffer = RowBuffer(np.empty((1, 4), np.uint16))
        open_tokens(path, in_memory=in_memory).read(np.array([0]), buffer)
        buffer.rows[:] = 0
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("array", "found"),
    [
        (np.arange(4, dtype=">u2"), ">u2"),
        (np.arange(4).reshape(2, 2), r"\(2, 2\)"),
        (np.arange(4, dtype=np.float32), "<f4"),
    ],
)
def test_a_npy_that_is_no_token_array_is_refused(tmp_path: Path, array: np.ndarray, found: str) -> None:
    np.save(tmp_path / "a.npy", array)
    with pytest.raises(DataError, match=found):
        open_tokens(tmp_path / "a.npy")


def test_a_npy_whose_header_is_damaged_is_not_read_as_raw_tokens(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(8, dtype=np.uint16))
    damaged = bytearray((tmp_path / "a.npy").read_bytes())
    damaged[2] ^= 1
    (tmp_path / "a.npy").write_bytes(damaged)
    with pytest.raises(DataError, match=r"a\.npy: expected a \.npy header, found .*magic"):
        open_tokens(tmp_path / "a.npy")


def test_a_pickled_npy_is_refused_without_unpickling(tmp_path: Path) -> None:
    hit = tmp_path / "hit"

    class Hostile:
        def __reduce__(self) -> tuple[object, ...]:
            return (open, (str(hit), "w"))

    np.save(tmp_path / "a.npy", np.array([Hostile()], dtype=object), allow_pickle=True)
    with pytest.raises(DataError):
        open_tokens(tmp_path / "a.npy")
    assert not hit.exists()


def test_missing_empty_and_odd_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.bin: expected a readable file, found No such file"):
        open_tokens(tmp_path / "none.bin")
    (tmp_path / "empty.bin").touch()
    with pytest.raises(DataError, match="expected tokens, found an empty file"):
        open_tokens(tmp_path / "empty.bin")
    (tmp_path / "odd.bin").write_bytes(b"abc")
    with pytest.raises(DataError, match=r"a whole number of uint16 tokens, found 3 bytes"):
        open_tokens(tmp_path / "odd.bin")
    with pytest.raises(DataError, match="a token dtype out of uint8"):
        open_tokens(tmp_path / "odd.bin", dtype="float32")


def test_integers_of_another_width_are_no_ids(tmp_path: Path) -> None:
    (tmp_path / "a.dat").write_bytes(IDS.astype("<u2").tobytes())
    with pytest.raises(DataError, match=r"expected token ids, found \d+ read as int64 \(is that the dtype"):
        open_tokens(tmp_path / "a.dat", dtype="int64")
    (tmp_path / "large.dat").write_bytes((IDS.astype("<u4") + (1 << 23)).tobytes())
    assert open_tokens(tmp_path / "large.dat", dtype="uint32", vocab=1 << 24).vocab == 1 << 24


def test_a_dtype_that_contradicts_the_file_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", IDS.astype("<u4"))
    assert len(open_tokens(tmp_path / "a.npy", dtype="uint32")) == len(IDS)
    with pytest.raises(DataError, match="expected tokens of uint16, found a file that says it holds uint32"):
        open_tokens(tmp_path / "a.npy", dtype="uint16")


def test_a_raw_array_may_have_any_name_where_its_dtype_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.tok").write_bytes(IDS.astype("<u2").tobytes())
    assert len(open_tokens(tmp_path / "a.tok", dtype="uint16")) == len(IDS)
    with pytest.raises(DataError, match="expected a file that begins with b'typedtok'"):
        open_tokens(tmp_path / "a.tok")


@pytest.mark.parametrize("version", [0, 3, 20240520])
def test_an_unknown_version_of_llm_c_is_refused(tmp_path: Path, version: int) -> None:
    head = np.zeros(256, "<i4")
    head[:3] = 20240520, version, len(IDS)
    (tmp_path / "a.bin").write_bytes(head.tobytes() + IDS.astype("<u2").tobytes())
    with pytest.raises(DataError, match=rf"an llm\.c header of version 1, found version {version}, 1000"):
        open_tokens(tmp_path / "a.bin")


@pytest.mark.parametrize("name", ["a.npz", "a.txt", "a.safetensors", "a.parquet"])
def test_a_file_that_is_no_array_is_not_read_as_one(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"some words, and more")
    with pytest.raises(DataError, match=rf"expected a file of tokens, found a {Path(name).suffix} file"):
        open_tokens(tmp_path / name)
    assert len(open_tokens(tmp_path / name, dtype="uint16")) == 10  # one who says so is believed


def test_lists_and_tensors_are_tokens_too() -> None:
    for ids in ([3, 1, 4], torch.tensor([3, 1, 4])):
        tokens = MemoryTokens(ids, vocab=5)  # type: ignore[arg-type]  # what people have at hand
        assert get_batch(tokens, [0], 2).targets.tolist() == [[1, 4]]


def test_a_vocabulary_smaller_than_the_file_says_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="a vocabulary of at least 500, found 100"):
        open_tokens(written(tmp_path, "ours"), vocab=100)


def test_a_file_is_held_in_memory_where_an_eighth_of_it_is_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, "npy-uint16")  # 2000 bytes of tokens
    (tmp_path / "meminfo").write_text("MemTotal: 900 kB\nMemAvailable: 16 kB\n")
    (tmp_path / "limit").write_text("max\n")
    monkeypatch.setattr(sources, "_MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(sources, "_LIMITS", (tmp_path / "none", tmp_path / "limit"))
    assert isinstance(open_tokens(path), MemoryTokens)
    (tmp_path / "limit").write_text("15999\n")  # a container that may use less than there is
    assert isinstance(open_tokens(path), FileTokens)
    (tmp_path / "limit").write_text("16000\n")
    assert isinstance(open_tokens(path), MemoryTokens)
    (tmp_path / "meminfo").write_text("MemAvailable: 15 kB\n")
    assert isinstance(open_tokens(path), FileTokens)


def test_copies_have_a_descriptor_of_their_own(tmp_path: Path) -> None:
    path = written(tmp_path, "uint16")
    tokens = open_tokens(path, vocab=500, in_memory=False)
    sent = pickle.dumps(tokens)  # as to a worker of a DataLoader
    before = len(os.listdir("/proc/self/fd"))
    copies = [pickle.loads(sent), copy.deepcopy(tokens), copy.copy(tokens)]
    assert len(os.listdir("/proc/self/fd")) == before + 3
    assert [(c.vocab, rows(c, [3], 4).tolist()) for c in copies] == [(500, [IDS[3:7].tolist()])] * 3
    copies.clear()
    assert rows(tokens, [3], 4).tolist() == [IDS[3:7].tolist()]


def opened(folder: Path, kind: str, how: str) -> OpenTokens:
    path = written(folder, kind)
    if how != "joined":
        return open_tokens(path, in_memory=how == "memory")
    parts = [folder / f"part{i}.npy" for i in range(3)]
    for part, ids in zip(parts, np.split(np.load(path), [3, 500]), strict=True):
        np.save(part, ids)
    return open_shards(parts)


HOW = ["memory", "file", "joined"]


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("kind", NPY)
def test_a_slice_is_a_new_array_wherever_the_tokens_are(tmp_path: Path, kind: str, how: str) -> None:
    tokens = opened(tmp_path, kind, how)
    for start, stop in ((0, 1000), (7, 10), (2, 501), (0, 3), (3, 500), (999, 1000), (5, 5), (1000, 1000)):
        found = tokens.slice(start, stop)
        assert found.dtype == tokens.dtype
        assert found.tolist() == IDS[start:stop].tolist()
        found[:] = 0
    assert (tokens.slice(0, 1000) == IDS).all()
    for start, stop in ((-1, 3), (5, 4), (0, 1001), (1001, 1001)):
        with pytest.raises(DataError, match=f"a slice within 0 to 1000, found {start} to {stop}"):
            tokens.slice(start, stop)


@pytest.mark.parametrize("how", HOW)
def test_closed_tokens_are_not_read(tmp_path: Path, how: str) -> None:
    with opened(tmp_path, "npy-uint16", how) as tokens:
        assert rows(tokens, [0], 4).tolist() == [IDS[:4].tolist()]
    tokens.close()  # again
    assert (len(tokens), tokens.vocab, tokens.dtype.name, tokens.separator) == (1000, 500, "uint16", -1)
    for stop in (0, 3):
        with pytest.raises(DataError, match="expected open tokens, found closed ones"):
            tokens.slice(0, stop)
    with pytest.raises(DataError, match="expected open tokens, found closed ones"):
        rows(tokens, [0], 4)


def test_closing_lets_the_memory_go() -> None:
    ids = IDS.copy()
    tokens, held = MemoryTokens(ids, vocab=500), weakref.ref(ids)
    rows(tokens, [0], 4)
    del ids
    assert held() is not None
    tokens.close()
    assert held() is None


def test_what_opens_tokens_returns_one_interface() -> None:
    wanted = {name for name in dir(OpenTokens) if not name.startswith("_")} | {"__enter__", "__exit__"}
    for kind in (MemoryTokens, FileTokens, JoinedTokens):
        assert wanted - set(dir(kind)) <= {"name", "vocab", "separator", "dtype"}  # of each instance


def test_the_held_out_part_and_the_rest_are_everything() -> None:
    tokens = MemoryTokens(IDS, vocab=500)
    train, held_out = split(tokens, 0.25)
    joined = np.concatenate([rows(train, [0], len(train))[0], rows(held_out, [0], len(held_out))[0]])
    assert (joined == IDS).all()
    with pytest.raises(DataError):
        rows(train, [len(train) - 3], 4)
    with pytest.raises(ValueError, match="above 0 and below 1"):
        split(tokens, 1.0)


def test_fingerprints_tell_data_apart(tmp_path: Path) -> None:
    first = open_tokens(written(tmp_path, "uint16"), in_memory=False)
    same = open_tokens(tmp_path / "tokens.bin", in_memory=False)
    assert first.fingerprint() == same.fingerprint()
    changed = IDS.copy()
    changed[500] += 1
    changed.astype("<u2").tofile(tmp_path / "other.bin")
    assert open_tokens(tmp_path / "other.bin", in_memory=False).fingerprint() != first.fingerprint()
    train, held_out = split(first, 0.1)
    assert train.fingerprint() != held_out.fingerprint()


@pytest.mark.parametrize("ending", [".tok", ".npy"])
def test_how_a_file_is_opened_does_not_change_its_fingerprint(tmp_path: Path, ending: str) -> None:
    path, tokens = tmp_path / f"tokens{ending}", np.arange(40, dtype=np.uint8)
    if ending == ".npy":
        np.save(path, tokens)
    else:
        write_tokens(path, tokens, vocab=50)
    held, read = (open_tokens(path, in_memory=in_memory) for in_memory in (True, False))
    assert held.fingerprint() == read.fingerprint()


@pytest.mark.parametrize(
    ("content", "kind"), [(b"PK\x03\x04" + bytes(96), "a zip archive"), (b"\x89PNG\r\n" + bytes(94), "a PNG")]
)
def test_what_is_known_to_be_something_else_is_not_read_as_raw_tokens(
    tmp_path: Path, content: bytes, kind: str
) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(content)
    with pytest.raises(DataError, match=f"model.bin: expected a file of tokens, found {kind}"):
        open_tokens(path)
    assert len(open_tokens(path, dtype="uint16")) == 50


def test_negative_ids_are_refused_where_the_vocabulary_is_read_off_them(tmp_path: Path) -> None:
    ids = np.array([3, -1, 4])
    np.save(tmp_path / "a.npy", ids)
    with pytest.raises(DataError, match=r"a\.npy: expected token ids from 0, found -1"):
        open_tokens(tmp_path / "a.npy")
    with pytest.raises(DataError, match="<memory>: expected token ids from 0, found -1"):
        MemoryTokens(ids)
