"""The command line: what is asked wrongly gets one line and exit code 2, and nothing is left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tyro  # noqa: F401  # now: it hashes everything in builtins, where a doctest leaves its last value as _

from typedtorch import __version__
from typedtorch.cli import first_section, main

TINY = [
    *("--device", "cpu", "--layers", "1", "--d-model", "16", "--heads", "2", "--seq", "16", "--batch", "4"),
    *("--steps", "4", "--eval-tokens", "300", "--sample", "8", "--no-plot"),
]


@pytest.fixture(autouse=True)
def own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text("a line of text, and another one\n" * 100)
    Path("empty.txt").touch()
    Path("short.txt").write_text("short")
    Path("table.parquet").write_bytes(b"PAR1" + bytes(range(256)) * 20)
    Path("started/checkpoints").mkdir(parents=True)  # killed before its first checkpoint


def test_usage_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == main(["--help"]) == 0
    text = capsys.readouterr().out
    for command in ("train", "account", "check"):
        assert f"  {command} " in text
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"typedtorch {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ("trian", "unknown command 'trian': did you mean train?"),
        ("train --lrr 1e-3", "Unrecognized options: --lrr, 1e-3 (perhaps --lr)"),
        ("train --dtype bf16", "Unrecognized options: --dtype, bf16 (perhaps --precision)"),
        ("train --grad-accum 2", "Unrecognized options: --grad-accum, 2 (perhaps --micro-batch)"),
        ("train stray", "Unrecognized options: stray"),
        ("train --steps abc", "--steps: expected INT, got 'abc'"),
        ("train --seed abc", "--seed: expected INT, got 'abc'"),
        ("train --ema abc", "--ema: expected FLOAT, got 'abc'"),
        ("train --steps 0", "steps: expected at least 1, got 0"),
        ("train --precision fp4", "invalid choice 'fp4' for argument '--precision'"),
        ("train --device toaster", "device: expected cpu, cuda, cuda:N, mps or auto, got 'toaster'"),
        ("train --device cuda:99", "device: 'cuda:99' is not available, only cpu"),
        ("train --data nowhere.txt", "nowhere.txt: expected a file, a folder or a glob that matches"),
        ("train --data empty.txt", "empty.txt: expected text, found nothing but empty files"),
        ("train --data=", "'': expected a file, a folder or a glob, found an empty name"),
        ("train --out= --resume", "out: expected a folder, got an empty name"),
        (
            "train --data text.txt --vocab 50 --seq 8",
            "vocab: expected at least 256 for text",
        ),
        ("train --data short.txt", "short.txt: expected at least 257 tokens for"),
        ("train --resume", "resume: there is no run in runs/ to resume"),
        ("train --resume nowhere", "resume: expected auto, or a run folder that is there, got 'nowhere'"),
        ("train --resume text.txt", "resume: expected a folder, text.txt is a file"),
        ("train --resume started", "resume: expected a run folder with a checkpoint, found none in started/"),
        ("train --resume --out text.txt", "out: expected a folder, text.txt is a file"),
        ("train --out text.txt/run", "out: expected a folder, text.txt is a file"),
        ("train --data table.parquet", "table.parquet: expected text in UTF-8, or tokens in files .npy, "),
        ("train --device cuda:99 --precision float64", "invalid choice 'float64' for argument '--precision'"),
        ("train --out text.txt", "out: expected a folder, text.txt is a file"),
        ("train --heads 3 --device cpu", "heads: expected a divisor of d_model 128, got 3"),
        ("train --parallel fsdp", "parallel fsdp: start with torchrun"),
    ],
)
def test_a_wrong_request_is_one_line_and_leaves_nothing(
    arguments: str, line: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    before = sorted(p.name for p in tmp_path.iterdir() if p.name != "cache")
    assert main(arguments.split()) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("typedtorch: error: ")
    assert line in said.err
    assert said.err.count("\n") == 1
    assert sorted(p.name for p in tmp_path.iterdir() if p.name != "cache") == before


def test_train_then_resume(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", *TINY, "--data", "text.txt", "--out", "run"]) == 0
    first = capsys.readouterr().out
    assert "step 4/4" in first
    assert "\r" not in first
    assert json.loads(Path("run/summary.json").read_text())["step"] == 4
    assert main(["train", "--out", "run", "--resume", "--steps", "6"]) == 0
    again = capsys.readouterr().out
    assert "at step 4" in again
    assert "changed: steps: 4 -> 6" in again
    assert json.loads(Path("run/summary.json").read_text())["step"] == 6
    assert main(["train", *TINY, "--data", "text.txt", "--out", "run"]) == 2
    assert "out: run already holds a run" in capsys.readouterr().err


def test_a_flag_given_at_its_default_still_counts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", *TINY, "--data", "text.txt", "--out", "run", "--schedule", "linear"]) == 0
    assert main(["train", "--out", "run", "--resume", "--steps", "5", "--schedule=cosine"]) == 0
    assert "changed: schedule: 'linear' -> 'cosine'" in capsys.readouterr().out


def test_help_names_every_setting(capsys: pytest.CaptureFixture[str]) -> None:
    from typedtorch.training.config import GROUP_OF

    assert main(["train", "--help"]) == 0
    text = capsys.readouterr().out
    missing = [name for name in GROUP_OF if f"--{name.replace('_', '-')}" not in text]
    assert missing == []


def test_a_run_that_fails_is_one_line_and_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", *TINY, "--data", "text.txt", "--out", "run", "--lr", "1e30", "--clip", "1e30"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("typedtorch: error: step ")
    assert "the step was not applied" in said
    assert said.count("\n") == 1


def test_a_signal_gives_its_exit_code() -> None:
    code = f"""
import os, sys
from typedtorch.training import Trainer
plain = Trainer._one_step
def step(self):
    plain(self)
    if self.step == 2: os.kill(os.getpid(), 15)
Trainer._one_step = step
from typedtorch.cli import main
sys.exit(main(["train", *{TINY!r}, "--data", "text.txt", "--out", "run", "--steps", "50"]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 143, done.stderr
    assert "stopped by signal 15 after step 2" in done.stderr
    assert os.listdir("run/checkpoints") == ["step-00000002"]


def test_no_torch_before_a_command_needs_it() -> None:
    code = """
import sys
from typedtorch.cli import main
main(["--help"]), main(["nonsense"])
assert "torch" not in sys.modules, "torch was imported"
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_any_part_of_the_engine_may_be_imported_first() -> None:
    code = """
import importlib, pkgutil, sys
import typedtorch.shapes.infer as engine
for part in [m.name for m in pkgutil.iter_modules(engine.__path__, engine.__name__ + ".")]:
    for loaded in [m for m in sys.modules if m.startswith(engine.__name__)]:
        del sys.modules[loaded]
    importlib.import_module(part)
assert "torch" not in sys.modules, "torch was imported"
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_command_that_is_nearly_right_is_recognised(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chek"]) == main(["nonsense"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "typedtorch: error: unknown command 'chek': did you mean check?",
        "typedtorch: error: unknown command 'nonsense': expected train, account or check",
    ]


def test_a_missing_package_is_named_with_what_installs_it() -> None:
    code = "import sys; sys.modules['rich'] = None; import typedtorch; typedtorch.Trainer"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "typedtorch.training needs rich: pip install 'typedtorch[train]'" in done.stderr


@pytest.mark.parametrize("box", ["", "no box at all", "╭─ A ─╮\n╰─────╯"])
def test_an_error_of_another_form_is_still_a_line(box: str) -> None:
    assert first_section(box).count("\n") == 0
    assert first_section(box)


def test_a_reader_that_has_read_enough_is_no_error() -> None:
    line = f"{sys.executable} -m typedtorch train --help | head -c 1"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert done.stdout == "u"
    assert done.stderr == ""


@pytest.mark.parametrize("form", ["--precision bfloat16", "--precision=BF16", "--precision half"])
def test_a_precision_may_have_the_name_that_torch_gives_it(
    form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", "--resume", "nowhere", *form.split()]) == 2
    assert "resume: expected auto" in capsys.readouterr().err  # and nothing about the precision


INTERRUPTED = "import os, signal; os.kill(os.getpid(), signal.SIGINT)"


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("tyro", INTERRUPTED),
        ("tyro", f"try:\n    {INTERRUPTED}\nexcept BaseException:\n    raise ImportError"),
        ("sympy", f"try:\n    {INTERRUPTED}\nexcept BaseException:\n    pass"),  # torch imports it late
    ],
)
def test_an_interrupt_while_code_is_imported_is_quiet(module: str, text: str, tmp_path: Path) -> None:
    (tmp_path / f"{module}.py").write_text(text)
    path = os.pathsep.join([str(tmp_path), *sys.path])
    arguments = ["train", *TINY, "--data", "text.txt", "--out", "run"]
    done = subprocess.run(
        [sys.executable, "-m", "typedtorch", *arguments],
        env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (130, "")


@pytest.mark.parametrize("command", ["train --data text.txt", "account gpt2"])
def test_an_interrupt_before_the_first_step_is_quiet(command: str) -> None:
    code = f"""
import os, signal
from typedtorch import data, training, accounting
def interrupt(*given, **named): os.kill(os.getpid(), signal.SIGINT)
import typedtorch.accounting.cli, typedtorch.training.assemble as assemble
assemble.pack_files = typedtorch.accounting.cli.main = interrupt
from typedtorch.cli import command
import sys; sys.argv[1:] = {command.split()!r}
command()
"""
    done = _run(code, stdout=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (130, "")


PLACE = "import os; os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone'); "
RUN = "import sys; from typedtorch.cli import main; sys.exit(main(sys.argv[1:]))"


def _run(program: str, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=120, check=False, **options)


@pytest.mark.parametrize("arguments", ["--help", "--version", "check --explain shape", "check wrong.py"])
def test_output_that_cannot_be_written_is_one_line(arguments: str) -> None:
    Path("wrong.py").write_text("import torch\ntorch.ones(2) + torch.ones(3)\n")
    with open("/dev/full", "w") as full:
        done = _run(RUN, *arguments.split(), stdout=full)
    assert done.stderr == "typedtorch: error: the output cannot be written: No space left on device\n"
    assert done.returncode == 2


@pytest.mark.parametrize(("arguments", "code"), [("--help", 0), ("check wrong.py", 1), ("check text.py", 0)])
def test_without_an_output_the_answer_is_the_exit_code(arguments: str, code: int) -> None:
    Path("wrong.py").write_text("import torch\ntorch.ones(2) + torch.ones(3)\n")
    Path("text.py").touch()
    done = _run(RUN, *arguments.split(), preexec_fn=lambda: os.close(1))
    assert (done.returncode, done.stderr) == (code, "")


def test_an_encoding_of_few_characters_shows_what_it_has() -> None:
    Path("wrong.py").write_text("import torch\nä = torch.ones(2)\nä + torch.ones(3)\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = _run(RUN, "check", "wrong.py", stdout=subprocess.PIPE, env=environment)
    assert done.returncode == 1
    assert "wrong.py:3:1: error: ? + torch.ones(3)" in done.stdout


def test_a_folder_that_is_gone_is_one_line() -> None:
    done = _run(PLACE + RUN, "check")
    assert (done.returncode, done.stderr) == (2, "typedtorch: error: the current folder is gone\n")
