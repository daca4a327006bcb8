"""The command line: what it prints, what it says to wrong input."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from typedtorch.accounting import Account, account
from typedtorch.accounting.cli import load, main, parse_sizes

MODEL = """
from jaxtyping import Float
from torch import Tensor, nn

class Net(nn.Module):
    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.out = nn.Linear(d_model, 4)

    def forward(self, x: Float[Tensor, "batch d_model"]) -> Float[Tensor, "batch 4"]:
        return self.out(x)

net = Net(16)
"""


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "some_model.py"
    file.write_text(MODEL)
    options = [
        "--sizes",
        "batch=8",
        "--device",
        "h100",
        "--optimizer",
        "adamw",
        "--png",
        str(tmp_path / "out"),
    ]
    assert main([f"{file}:net", *options]) == 0
    shown = capsys.readouterr().out
    assert "FLOPs forward" in shown
    assert "128*batch" in shown
    assert "H100 SXM" in shown
    for name in ("memory.png", "modules.png", "roofline.png"):
        assert (tmp_path / "out" / name).read_bytes().startswith(b"\x89PNG")
    sizes = ["--sizes", "batch=8,d_model=16"]
    assert main([f"{file}:Net", *sizes, "--json", "--device", "v100", "--dtype", "bf16"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["flops"]["forward"] == 1024
    assert answer["formulas"]["flops.forward"] == "8*batch*d_model"
    assert answer["time"] is None
    assert (
        main([f"{file}:Net", *sizes, "--json", "--device", "h100", "--dtype", "bf16", "--tokens", "1e12"])
        == 0
    )
    assert json.loads(capsys.readouterr().out)["run"]["flops"] == 256 * 1e12
    assert main([f"{file}:Net"]) == 0
    shown = capsys.readouterr().out
    assert "no sizes for d_model, batch: formulas only" in shown
    assert "8*batch*d_model" in shown
    assert main([f"{file}:Net", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["missing"] == ["d_model", "batch"]
    assert answer["formulas"]["parameters.total"] == "4*d_model + 4"
    with file.open("a") as more:
        more.write("\n\ndef build(width: int = 16) -> nn.Module:\n    return Net(width)\n")
    assert main([f"{file}:build", "--sizes", "batch=8,d_model=16"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "128*batch (only at d_model=16)" in shown
    assert shown.count("only at d_model=16: ") == 1  # and why
    assert main([f"{file}:nte"]) == 2
    assert "did you mean 'net'?" in capsys.readouterr().err


def test_the_command_line_takes_example_inputs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "plain_model.py"
    file.write_text("from torch import nn\nnet = nn.Sequential(nn.Linear(8, 4), nn.ReLU())\n")
    assert main([f"{file}:net"]) == 2
    assert "--input 8,128 here" in capsys.readouterr().err
    assert main([f"{file}:net", "--input", "3,8", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["flops"]["forward"] == 2 * 3 * 8 * 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "wanted FILE:OBJECT or a preset"),
        (["gpt3"], "did you mean 'gpt2'?"),
        (["model.py:"], "wanted FILE:OBJECT or a preset"),
        (["missing.py:x"], "no such file"),
        (["gpt2", "--sizes", "batch"], "wanted name=integer"),
        (["gpt2", "--sizes", "batch=1,batch=2"], "batch is 1 and 2"),
        (["gpt2", "--sizes", "batch=0"], "axis 'batch': wanted a size of at least 1, got 0"),
        (["gpt2", "--png", "pictures"], "no pictures without a size for batch, seq"),
        (["gpt2", "--input", "8,x"], "wanted sizes and a dtype"),
        (
            ["gpt2", "--sizes", "batch=2,seq=4", "--accumulate", "0"],
            "wanted accumulate as an integer of at least 1",
        ),
        (
            ["gpt2", "--sizes", "batch=1,seq=4", "--tokens", "1e9", "--mfu", "3"],
            "mfu as a share, at most 1, got 3",
        ),
        (
            ["gpt2", "--sizes", "batch=1,seq=4", "--tokens", "1e9", "--devices", "0"],
            "wanted --devices above zero, got 0",
        ),
        (["gpt2", "--sizes", "batch=1,seq=4", "--tokens", "0"], "wanted --tokens above zero, got 0"),
        (["gpt2", "--mfu", "40"], "wanted --mfu as a share, at most 1, got 40"),
        (["gpt2", "--device", "h1000"], "no peak is known for device 'h1000': did you mean 'h100'"),
        (["gpt2", "--device", "abacus", "--json"], "no peak is known for device 'abacus': time one"),
        (["gpt2", "--depth", "-1"], "wanted a number of levels"),
        (["gpt2", "--optimizer", "adammw"], "did you mean 'adamw'? known are adadelta"),
        (["gpt2", "--optimizer", "facade"], "known are adadelta"),
        (["gpt2", "--sizes", "batch=1,seq=4", "--json", "--png", __file__], "File exists"),
    ],
)
def test_the_command_line_says_what_was_wrong(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert message in printed.err
    assert "--png" in arguments or not printed.out  # nothing is shown before the refusal


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def f(:\n", "cannot be imported: SyntaxError: invalid syntax (broken_model.py, line 1)"),
        ("\nimport not_there\n", "ModuleNotFoundError: No module named 'not_there' ("),
        ("\n1 / 0\n", "broken_model.py, line 2)"),
        ("raise SystemExit(1)\n", "cannot be imported: it exits"),
    ],
)
def test_a_file_that_cannot_be_imported_is_told_in_one_line(
    text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken_model.py").write_text(text)
    assert main([f"{tmp_path / 'broken_model.py'}:Net"]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("package", "arguments", "message"),
    [
        ("rich", [], "the report needs rich: pip install 'typedtorch[train]'; --json needs nothing"),
        (
            "matplotlib",
            ["--json", "--png", "pictures"],
            "--png needs matplotlib: pip install 'typedtorch[viz]'",
        ),
    ],
)
def test_a_package_that_is_missing_is_named_before_anything_is_counted(
    package: str,
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == package else find(name))
    assert main(["gpt2", *arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("where", ["__init__", "forward"])
@pytest.mark.parametrize("kind", ["AttributeError", "OSError", "StopIteration", "Refused"])
def test_whatever_a_program_raises_is_told_in_one_line(
    kind: str, where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "raising_model.py"
    body = MODEL.replace(
        "        self.out =", f"        {_raised(kind, where, '__init__')}\n        self.out ="
    )
    body = body.replace("        return", f"        {_raised(kind, where, 'forward')}\n        return")
    file.write_text(f"class Refused(Exception): ...\n{body.replace('net = Net(16)', '')}")
    assert main([f"{file}:Net", "--sizes", "batch=2,d_model=4"]) == 2
    assert f"{kind}: not so" in capsys.readouterr().err


def _raised(kind: str, where: str, here: str) -> str:
    return f"raise {kind}('not so')" if where == here else "..."


def test_the_command_line_says_which_figure_has_no_formula(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "doubling_model.py"
    file.write_text("""
from jaxtyping import Float
from torch import Tensor, nn

class Doubling(nn.Module):
    def __init__(self, layers: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(2**i, 2 ** (i + 1), bias=False) for i in range(layers))

    def forward(self, x: Float[Tensor, "batch 1"]) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        return x
""")
    assert main([f"{file}:Doubling"]) == 0
    assert "no formula for parameters.total" in " ".join(capsys.readouterr().out.split())
    assert main([f"{file}:Doubling", "--json"]) == 0
    formulas = json.loads(capsys.readouterr().out)["formulas"]
    assert formulas["parameters.total"] is None
    assert formulas["memory.inputs"] == "4*batch"


WIDE = """
from jaxtyping import Float
from torch import Tensor, nn

class Projection(nn.Module):
    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.a_very_long_name_of_a_projection = nn.Linear(d_model, d_ff)
        self.another_very_long_name_of_a_projection = nn.Linear(d_ff, d_model)

    def forward(self, x: Float[Tensor, "batch sequence d_model"]) -> Float[Tensor, "batch sequence d_model"]:
        inner = self.a_very_long_name_of_a_projection(x).relu()
        return self.another_very_long_name_of_a_projection(inner)
"""


@pytest.mark.parametrize("sizes", ["batch=8,sequence=16,d_model=32,d_ff=64", ""])
def test_nothing_is_cut_off_where_there_is_no_terminal(sizes: str, tmp_path: Path) -> None:
    file = tmp_path / "wide.py"
    file.write_text(WIDE)
    command = [sys.executable, "-m", "typedtorch", "account", f"{file}:Projection", "--device", "h100"]
    ran = subprocess.run(
        [*command, "--sizes", sizes],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "COLUMNS": "40"},
    )
    assert "…" not in ran.stdout
    lines = ran.stdout.splitlines()
    saved = account_of(file, sizes).formula("memory.saved")
    assert any(line.rstrip().removesuffix(" bytes").endswith(f" {saved}") for line in lines)
    if sizes:
        name = "another_very_long_name_of_a_projection"
        assert any(
            (name in line and "arithmetic" in line) or (name in line and "memory" in line) for line in lines
        )
        assert any(line.startswith("memory ") and line.rstrip().endswith(": fits") for line in lines)


def account_of(file: Path, sizes: str) -> Account:
    """The same without the command."""
    return account(load(f"{file}:Projection"), sizes=parse_sizes(sizes))
