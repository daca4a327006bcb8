"""What is kept comes back as it was written last, whatever has happened to the file since."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from typedtorch.shapes.store import Store

NAMES = ("net", "net.blocks", "folder of scripts.näht", "a\nb", "")


def some(chance: random.Random) -> bytes:
    return chance.choice((b"\n", b"7 net\n", chance.randbytes(chance.randint(1, 300))))


@pytest.mark.parametrize("seed", range(20))
def test_the_last_that_was_written_under_a_name_counts(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    names = NAMES[:3]
    held: dict[str, bytes] = {}
    store = Store(tmp_path / "cache")
    for _ in range(200):
        name = chance.choice(names)
        match chance.randrange(6):
            case 0:
                store.remove(name)
                held.pop(name, None)
            case 1:
                store = Store(tmp_path / "cache")
            case _:
                held[name] = some(chance)
                store.write(name, held[name])
        assert {n: data for n in names if (data := store.read(n)) is not None} == held


@pytest.mark.parametrize("seed", range(20))
def test_of_a_file_that_was_cut_short_all_that_is_whole_is_left(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    pieces = {f"m{i}": some(chance) for i in range(20)}
    file, ends = tmp_path / "kept", [0]
    for name, data in pieces.items():
        Store(tmp_path).write(name, data)
        ends.append(file.stat().st_size)
    size = chance.randrange(ends[-1])
    os.truncate(file, size)
    whole = sum(end <= size for end in ends) - 1
    for _ in range(2):
        store = Store(tmp_path)
        assert [store.read(name) for name in pieces] == [
            *list(pieces.values())[:whole],
            *[None] * (20 - whole),
        ]
    store.write("after", b"it")
    assert Store(tmp_path).read("after") == b"it"


@pytest.mark.parametrize(
    "data", [b"\0" * 99, b"9" * 99, b"99999999999 net\n", b"3 net\nabcd\n", os.urandom(999)]
)
def test_a_file_of_another_kind_is_no_hindrance(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "kept").write_bytes(data)
    store = Store(tmp_path)
    assert store.read("net") is None
    store.write("net", b"known")
    assert Store(tmp_path).read("net") == b"known"


def test_a_name_of_two_lines_is_not_mistaken_for_two(tmp_path: Path) -> None:
    for name in NAMES:
        Store(tmp_path).write(name, name.encode() + b"!")
    assert [Store(tmp_path).read(name) for name in NAMES] == [name.encode() + b"!" for name in NAMES]


def test_what_no_longer_counts_does_not_pile_up(tmp_path: Path) -> None:
    for i in range(300):
        Store(tmp_path).write("net", b"%d" % i * 3000)
    assert Store(tmp_path).read("net") == b"299" * 3000
    assert (tmp_path / "kept").stat().st_size < 200_000


def test_where_nothing_can_be_written_what_was_found_is_there_for_this_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", None):
        store = Store(folder)
        store.write("net", b"known")
        store.remove("other")
        assert Store(folder).read("net") is None
    assert not Store(None).keeps


def test_several_processes_write_at_once(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from typedtorch.shapes.store import Store\n"
        "who, store = sys.argv[1], Store(Path(sys.argv[2]))\n"
        "for i in range(200): store.write(f'{who}{i}', who.encode() * 3000)\n"
    )
    processes = [subprocess.Popen([sys.executable, "-c", program, who, str(tmp_path)]) for who in "abc"]
    assert [process.wait() for process in processes] == [0, 0, 0]
    store = Store(tmp_path)
    assert all(store.read(f"{who}{i}") == who.encode() * 3000 for who in "abc" for i in range(200))
