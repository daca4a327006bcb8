"""``--watch`` runs at once and after each change, when writing has paused."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

from typedtorch.check.watch import Stamps, changes, stamps


def test_every_change_is_seen_once() -> None:
    a, b = Path("a"), Path("b")
    states: list[Stamps] = [
        {a: (1, 1)},
        {a: (1, 1)},
        {a: (2, 1)},
        {a: (3, 1)},
        {a: (3, 1)},
        {b: (3, 1)},
        {b: (3, 1)},
    ]
    looks = iter(states)
    seen = list(islice(changes(lambda: next(looks), pause=lambda: None), 3))
    assert seen == [{a: (1, 1)}, {a: (3, 1)}, {b: (3, 1)}]


def test_stamps_change_with_time_and_length_and_forget_lost_files(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("x")
    first = stamps([path, tmp_path / "lost.py"])
    path.write_text("xy")
    os.utime(path, ns=(0, first[path][0]))
    assert list(first) == [path]
    assert stamps([path]) != first
