"""Notebooks: their cells are one program, what only IPython understands is tolerated, places are by cell."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from typedtorch.check.cli import main
from typedtorch.check.notebook import python

HEAD = "%matplotlib inline\n!pip install einops\nimport torch\nfrom torch import nn"
NET = """class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(10, 5)

    def forward(self, x):
        return self.out(x)
"""
MISMATCH = "x @ x: the last axis of x is 3 and the first axis of x is 2  [shape]"


@pytest.fixture(autouse=True)
def _in_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def notebook(*cells: str, language: str | None = None) -> str:
    """A notebook of code cells, with one of text at its top."""
    about = {} if language is None else {"language_info": {"name": language}}
    text = {"cell_type": "markdown", "metadata": {}, "source": ["# A title: x @ x"]}
    code = [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    return json.dumps({"cells": [text, *code], "metadata": about, "nbformat": 4, "nbformat_minor": 5})


def lines(capsys: pytest.CaptureFixture[str], *options: str) -> list[str]:
    main(["net.ipynb", *options])
    return capsys.readouterr().out.splitlines()


def test_places_are_counted_by_cell(capsys: pytest.CaptureFixture[str]) -> None:
    cells = (HEAD, "x = torch.zeros(2, 3)\n", "%%time\n'é'; x @ x", *["\n"] * 8, "x @ x")
    Path("net.ipynb").write_text(notebook(*cells))
    found = [line for line in lines(capsys) if ": error: " in line]
    assert found == [f"net.ipynb:cell 3:2:6: error: {MISMATCH}", f"net.ipynb:cell 12:1:1: error: {MISMATCH}"]


def test_a_line_that_a_message_speaks_of_is_one_of_its_cell(capsys: pytest.CaptureFixture[str]) -> None:
    Path("net.ipynb").write_text(notebook(HEAD, NET, "net = Net()\nnet(torch.zeros(2, 3))"))
    assert lines(capsys)[0] == (
        "net.ipynb:cell 3:2:1: error: in Net.forward() (line 7 of cell 2): "
        "self.out(x): in_features is 10, the last axis of x is 3  [shape]"
    )


def test_source_lines_are_those_of_the_cell(capsys: pytest.CaptureFixture[str]) -> None:
    Path("net.ipynb").write_text(notebook(HEAD, "x = torch.zeros(2, 3)\n%time y = x @ x"))
    assert lines(capsys, "--pretty")[1:3] == ["    %time y = x @ x", "              ^^^^^"]


def test_formats_for_other_programs_name_the_cell(capsys: pytest.CaptureFixture[str]) -> None:
    Path("net.ipynb").write_text(notebook(HEAD, "x = torch.zeros(2, 3)\nx @ x"))
    (finding,) = json.loads("\n".join(lines(capsys, "--json")))["findings"]
    assert (finding["path"], finding["cell"], finding["line"]) == ("net.ipynb", 2, 2)
    assert lines(capsys, "--output-format", "github")[0].startswith(
        "::error title=typedtorch (shape),file=net.ipynb::net.ipynb:cell 2:2:1: x @ x"
    )
    (result,) = json.loads("\n".join(lines(capsys, "--output-format", "sarif")))["runs"][0]["results"]
    assert result["locations"] == [{"physicalLocation": {"artifactLocation": {"uri": "net.ipynb"}}}]
    assert result["message"]["text"].startswith("cell 2, line 2: x @ x")


def test_a_cell_that_is_no_python_is_reported_and_the_others_are_checked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("net.ipynb").write_text(notebook(HEAD, "def f(:\n    pass", "x = torch.zeros(2, 3)", "x @ x"))
    found = lines(capsys)
    assert found[0] == "net.ipynb:cell 2:1:7: error: invalid syntax  [syntax]"
    assert found[1] == f"net.ipynb:cell 4:1:1: error: {MISMATCH}"


def test_comments_silence_lines_of_cells(capsys: pytest.CaptureFixture[str]) -> None:
    Path("net.ipynb").write_text(
        notebook(HEAD, "x = torch.zeros(2, 3)", "x @ x  # typedtorch: ignore[shape]")
    )
    assert lines(capsys) == ["No errors (checked 1 source file)"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "net.ipynb:1:1: error: cannot be read as a notebook of format 4  [syntax]"),
        ("[]", "net.ipynb:1:1: error: cannot be read as a notebook of format 4  [syntax]"),
        (notebook("x <- 1", language="R"), "net.ipynb:1:1: error: its language is R, not Python  [syntax]"),
        (notebook(), "No errors (checked 1 source file)"),
    ],
)
def test_what_is_no_notebook_of_python(text: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("net.ipynb").write_text(text)
    assert lines(capsys)[0] == message


def test_folders_are_searched_for_modules_alone(capsys: pytest.CaptureFixture[str]) -> None:
    Path("net.ipynb").write_text(notebook("x ="))
    assert main(["."]) == 2
    assert "no Python files in this folder; name the notebooks" in capsys.readouterr().err


def test_an_editor_may_hold_it_unsaved(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = notebook(HEAD, "x = torch.zeros(2, 3)\nx @ x").encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert main(["-", "--stdin-filename", "net.ipynb"]) == 1
    assert capsys.readouterr().out.startswith("net.ipynb:cell 2:2:1: error: x @ x")


@pytest.mark.parametrize(
    ("cell", "wanted"),
    [
        ("x = 7\n", "x = 7\n"),
        ("x = (7\n  % 3)", "x = (7\n  % 3)"),
        ("x = (7\n  % 3)\n% cd ..", "x = (7\n  % 3)\npass"),
        ("if x:\n    !ls (\ny", "if x:\n    pass\ny"),
        ("!ls \\\n  -l\nx", "pass\n\nx"),
        ("x.T?\n??torch\ntorch.*max?", "pass\npass\npass"),
        ("a, b = %who\nc[0] = !ls", "a, b = get_ipython()\nc[0] = get_ipython()"),
        ("%time x = f(y)", "pass; x = f(y)"),
        ("%timeit x = f(y", "pass"),
        ("\n%%writefile net.py\nx @", "\n\n"),
        ("%%capture out\nx = 1", "\nx = 1"),
        ("    x = 1\n    y = 2", "\n"),
        ("await f()", "await f()"),
        ("'''\n%matplotlib\n'''", "'''\n%matplotlib\n'''"),
    ],
)
def test_what_only_ipython_understands_is_replaced(cell: str, wanted: str) -> None:
    assert python(cell) == wanted


@pytest.mark.parametrize("cell", ["x = (1", "def f(:\n  pass", "print('really?", "x = 1 +"])
def test_what_python_and_ipython_refuse_is_refused(cell: str) -> None:
    with pytest.raises(SyntaxError):
        python(cell)
