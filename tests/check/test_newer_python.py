"""Syntax that only a newer Python reads: the finding says which."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from typedtorch.check.cli import main


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("def first[T](x: list[T]) -> T:\n    return x[0]\n", (3, 12)),
        ("class Box[T]:\n    pass\n", (3, 12)),
        ("type Size = int | None\n", (3, 12)),
        ('names = {"a": 1}\nprint(f"{names["a"]}")\n', (3, 12)),
        ("try:\n    pass\nexcept ValueError, TypeError:\n    pass\n", (3, 14)),
        ('name = t"{1}"\n', (3, 14)),
    ],
)
def test_what_a_newer_python_reads_is_told_as_such(
    text: str,
    version: tuple[int, int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "newer.py"
    path.write_text(f"import torch\n{text}")
    older = sys.version_info < version
    assert main([str(path)]) == int(older)
    out = capsys.readouterr().out
    assert (f"note: Python {version[0]}.{version[1]} may read this" in out) == older


@pytest.mark.parametrize("text", ["def f(:\n    pass\n", "x = [1\n", "class A(\n    pass\n"])
def test_what_no_python_reads_is_not(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(text)
    assert main([str(path)]) == 1
    assert "may read this" not in capsys.readouterr().out
