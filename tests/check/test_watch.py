"""``--watch`` runs at once and after each change, when writing has paused."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path

import pytest

from typedtorch.check import cli
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


def test_a_file_that_is_gone_for_a_moment_ends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text("x = (\n")

    def edits(look: Callable[[], Stamps], **_: object) -> Iterator[Stamps]:
        yield look()
        Path("a.py").unlink()
        yield look()
        Path("a.py").write_text("x = 1\n")
        yield look()

    monkeypatch.setattr(cli, "changes", edits)
    assert cli.main(["--watch", "a.py"]) == 0
    ends = [line for line in capsys.readouterr().out.splitlines() if "checked" in line]
    assert ends == [
        "Found 1 error in 1 file (checked 1 source file)",
        "No errors (checked 0 source files)",
        "No errors (checked 1 source file)",
    ]


def test_what_is_not_there_from_the_start_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["--watch", "a.py"]) == 2
    assert "a.py: no such file or folder" in capsys.readouterr().err


def test_what_a_check_came_across_is_watched_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    sizes = "import torch\nn = {}\nx = torch.ones(n)\n"
    Path("sizes.py").write_text(sizes.format(3))
    Path("use.py").write_text("import torch\nfrom sizes import x\nx + torch.ones(3)\n")
    pauses = iter(range(100))

    def pause() -> None:
        match next(pauses):
            case 2:
                Path("sizes.py").write_text(sizes.format(44))
            case 6:
                raise KeyboardInterrupt

    monkeypatch.setattr(cli, "changes", partial(changes, pause=pause))
    assert cli.main(["--watch", "use.py"]) == 0
    ends = [line for line in capsys.readouterr().out.splitlines() if "checked" in line]
    assert ends == [
        "No errors (checked 1 source file)",
        "Found 1 error in 1 file (checked 1 source file)",
    ]
