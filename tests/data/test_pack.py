"""Packing text: once, whole, and found again by content alone."""

import os
from pathlib import Path

import numpy as np
import pytest

from typedtorch.data import DataError, WriteError, collect_files, open_tokens, pack_files, standard_library
from typedtorch.data.pack import BYTES, ByteTokenizer, cache_folder


def all_tokens(path: Path) -> bytes:
    tokens = open_tokens(path)
    return bytes(tokens.slice(0, len(tokens)))


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    folder = tmp_path / "texts"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.txt").write_text("first")
    (folder / "sub" / "b.txt").write_text("zweites, größer")
    (folder / "empty.txt").touch()
    (folder / ".hidden").write_text("no")
    return folder


def test_documents_are_whole_and_separated(texts: Path, tmp_path: Path) -> None:
    files = collect_files(texts)
    packed = all_tokens(pack_files(files, folder=tmp_path / "cache"))
    documents = packed.split(b"\0")
    assert documents[-1] == b""
    assert sorted(documents[:-1]) == sorted([b"first", "zweites, größer".encode()])


def test_the_same_text_is_packed_once(texts: Path, tmp_path: Path) -> None:
    first = pack_files(collect_files(texts), folder=tmp_path / "cache")
    stamp = first.stat().st_mtime_ns
    calls: list[tuple[int, int]] = []
    again = pack_files(
        collect_files(texts), folder=tmp_path / "cache", progress=lambda d, t: calls.append((d, t))
    )
    assert (again, again.stat().st_mtime_ns, calls) == (first, stamp, [])
    (texts / "a.txt").write_text("First")
    changed = pack_files(
        collect_files(texts), folder=tmp_path / "cache", progress=lambda d, t: calls.append((d, t))
    )
    assert changed != first
    assert calls[-1] == (3, 3)


def test_another_tokenizer_has_its_own_file(texts: Path, tmp_path: Path) -> None:
    class Upper(ByteTokenizer):
        name = "upper"

        def encode(self, text: bytes, /) -> np.ndarray:
            return super().encode(text.upper())

    files = collect_files(texts)
    plain = pack_files(files, folder=tmp_path)
    upper = pack_files(files, folder=tmp_path, tokenizer=Upper())
    assert plain != upper
    assert b"FIRST" in all_tokens(upper)


def test_a_path_or_a_string_will_do(texts: Path, tmp_path: Path) -> None:
    listed = pack_files(collect_files(texts), folder=tmp_path)
    assert pack_files(texts, folder=tmp_path) == pack_files(str(texts), folder=tmp_path) == listed
    assert pack_files([str(path) for path in collect_files(texts)], folder=tmp_path) == listed


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"PK\x03\x04" + bytes(99), r"a zip archive \(.npz, "),
        (b"PAR1" + bytes(99), "a Parquet file"),
        (b"\x89PNG\r\n\x1a\n" + bytes(99), "a PNG image"),
        (b"\xff\xd8\xff\xe0", "a JPEG image"),
        (b"\x1f\x8b\x08\x01", "a gzip archive"),
        (b"some\0thing", r"binary data \(a zero byte\)"),
        ("größer".encode("utf-16"), "UTF-16 text"),
    ],
)
def test_what_is_no_text_is_refused_by_name(texts: Path, tmp_path: Path, content: bytes, kind: str) -> None:
    (texts / "other").write_bytes(content)
    wanted = rf"other: expected text in UTF-8, or tokens in files .npy, .bin or .tok alone, found {kind}"
    with pytest.raises(DataError, match=wanted):
        pack_files(texts, folder=tmp_path / "cache")
    assert not (tmp_path / "cache").exists()
    tokens = open_tokens(texts / "other", dtype="uint8", vocab=256)  # bytes were asked for
    assert len(tokens) == len(content)


@pytest.mark.parametrize("text", [b"PAR1 is how a file begins", b"RIFF raff", "größer".encode("latin-1")])
def test_text_that_begins_as_a_file_format_does_is_text(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "a.txt").write_bytes(text)
    assert all_tokens(pack_files(tmp_path / "a.txt", folder=tmp_path)) == text + b"\0"


def test_a_tokenizer_of_ones_own_is_given_any_bytes(tmp_path: Path) -> None:
    (tmp_path / "a.wav").write_bytes(b"RIFF\0\0")
    packed = pack_files(tmp_path / "a.wav", folder=tmp_path, tokenizer=Words())  # type: ignore[arg-type]  # a list will do
    assert all_tokens(packed) == b"\6\x09"


class Words:
    name, vocab, separator = "words", 10, 9

    def encode(self, text: bytes, /) -> list[int]:
        if b"first" in text:
            raise ValueError("not that one")
        return [len(word) for word in text.split()]


@pytest.mark.parametrize("workers", [0, 2])
def test_a_tokenizer_that_fails_is_named_with_the_file(texts: Path, tmp_path: Path, workers: int) -> None:
    with pytest.raises(
        DataError, match=r"a\.txt: expected text that tokenizer words takes, found ValueError: not that one"
    ):
        pack_files(texts, tokenizer=Words(), folder=tmp_path / "c", workers=workers)  # type: ignore[arg-type]  # lists, below
    assert list((tmp_path / "c").iterdir()) == []


def test_a_tokenizer_may_give_lists(texts: Path, tmp_path: Path) -> None:
    (texts / "a.txt").write_text("a bc")
    packed = pack_files(texts, tokenizer=Words(), folder=tmp_path)  # type: ignore[arg-type]  # what they are
    assert sorted(all_tokens(packed).split(b"\t")) == [b"", b"\1\2", b"\10\10"]


def test_text_that_changes_while_it_is_packed_is_refused(texts: Path, tmp_path: Path) -> None:
    class Meddler(ByteTokenizer):
        name = "meddler"

        def encode(self, text: bytes, /) -> np.ndarray:
            for path in collect_files(texts):
                path.write_text("another")
            return super().encode(text)

    monkey = Meddler()
    (texts / "c.txt").write_text("more")
    files = [path for path in collect_files(texts) for _ in range(9)]  # more than one thread takes at once
    with pytest.raises(DataError, match="the text of a moment ago, found another one"):
        pack_files(files, tokenizer=monkey, folder=tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_few_files_are_in_memory_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    for i in range(150):
        (tmp_path / f"{i:03}.txt").write_text(f"{i} ")
    encoded = written = most = 0

    class Counting(ByteTokenizer):
        name = "counting"

        def encode(self, text: bytes, /) -> np.ndarray:
            nonlocal encoded
            encoded += 1
            return super().encode(text)

    def progress(done: int, total: int) -> None:
        nonlocal most, written
        most, written = max(most, encoded - written), done

    files = sorted(tmp_path.glob("*.txt"))
    packed = pack_files(files, tokenizer=Counting(), folder=tmp_path, progress=progress)
    assert all_tokens(packed) == b"".join(f"{i} \0".encode() for i in range(150))
    assert (written, most <= 64) == (150, True)


def test_processes_give_the_same_file_as_threads(texts: Path, tmp_path: Path) -> None:
    files = collect_files(texts)
    threads = pack_files(files, folder=tmp_path / "threads")
    processes = pack_files(files, folder=tmp_path / "processes", workers=2)
    assert threads.read_bytes() == processes.read_bytes()


def test_files_folders_and_globs_are_found(texts: Path) -> None:
    assert collect_files(texts / "a.txt") == [texts / "a.txt"]
    assert {p.name for p in collect_files(texts)} == {"a.txt", "b.txt", "empty.txt"}
    assert {p.name for p in collect_files(f"{texts}/**/*.txt")} == {"a.txt", "b.txt", "empty.txt"}


def test_the_order_does_not_depend_on_where_the_folder_is(texts: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    names = [p.relative_to(texts) for p in collect_files(texts)]
    texts.rename(moved)
    assert [p.relative_to(moved) for p in collect_files(moved)] == names


def test_nothing_to_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match="expected a file, a folder or a glob that matches, found nothing there"
    ):
        collect_files(tmp_path / "none" / "*.py")
    with pytest.raises(DataError, match="an empty folder"):
        collect_files(tmp_path)
    with pytest.raises(DataError, match="expected a regular file or a folder"):
        collect_files("/dev/null")
    (tmp_path / "empty.txt").touch()
    with pytest.raises(DataError, match=r"empty\.txt: expected text, found nothing but empty files"):
        pack_files([tmp_path / "empty.txt"], folder=tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


def test_a_cache_that_can_not_be_made_is_named(texts: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(WriteError, match=r"file/cache: .*found Not a directory \(XDG_CACHE_HOME names"):
        pack_files(texts, folder=tmp_path / "file" / "cache")


def test_the_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "typedtorch"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # the specification says to ignore it
    assert cache_folder() == Path.home() / ".cache" / "typedtorch"


def test_the_standard_library_is_there_without_packages_or_tests() -> None:
    files = standard_library()
    names = {p.name for p in files}
    assert {"dataclasses.py", "argparse.py"} <= names
    assert not any({"site-packages", "test", "tests"} & set(p.parts[-4:-1]) for p in files)
    assert files == standard_library()


def test_bytes_come_back_as_text() -> None:
    text = "def größe():\n    return 'ü'\n"
    assert BYTES.decode(BYTES.encode(text.encode())) == text
