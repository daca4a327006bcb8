"""The console: a live line on a terminal, plain lines in a file."""

import errno
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from typedtorch.training.console import Console, RunFacts, duration, si, size
from typedtorch.training.figures import Figures
from typedtorch.training.usage import PeakMemory, memory_in_use

FIGURES = Figures(
    step=40, loss=1.25, grad_norm=0.5, lr=1e-3, items=4000, items_per_second=18_240.0, step_seconds=0.1,
    data_wait=0.004, seconds=4.0,
)  # fmt: skip


class Terminal(io.StringIO):
    """A file that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def spoken(file: io.StringIO) -> str:
    console = Console(file)
    console.facts = RunFacts(steps=100, flops_per_token=1e6, peak_flops=1e11, device=torch.device("cpu"))
    with console:
        console.banner("typedtorch", [("device", "CPU [2 threads]"), ("data", "text")])
        console.figures(FIGURES)
        console.note("step 40: validation loss 1.3000")
        console.figures(FIGURES)
        console.table("table", ["", "predicted", "measured", ""], [("memory", "1 MiB", "2 MiB", "why")])
        console.verbatim("def f(x): return [bold]x[/bold]\x1b[31m\r\n")
    return file.getvalue()


def test_a_file_gets_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    text = spoken(io.StringIO())
    assert "\r" not in text
    assert "\x1b" not in text
    lines = text.splitlines()
    assert "  device  CPU [2 threads]" in lines
    line = next(line for line in lines if line.startswith("step 40/100"))
    for part in (
        "ETA 0:06",
        "loss 1.2500",
        "lr 1.00e-03",
        "grad 0.50",
        "18.2k tok/s",
        "MFU 18%",
        "mem ",
        "data 0.4%",
    ):
        assert part in line
    assert sum(line.startswith("step 40/100") for line in lines) == 2
    assert "def f(x): return [bold]x[/bold]\ufffd[31m\ufffd" in lines


def test_a_terminal_gets_one_line_kept_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    text = spoken(Terminal())
    assert "\r\x1b[2K" in text  # the line is drawn again in place
    assert "\x1b[36m" in text
    assert "validation loss 1.3000" in text


def test_no_color_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("NO_COLOR", "1")
    text = spoken(Terminal())
    assert "\x1b[36m" not in text
    assert "\x1b[31m" not in text


def test_a_dumb_terminal_gets_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    assert "\r" not in spoken(Terminal())


def test_no_utilisation_without_a_known_peak() -> None:
    console = Console(io.StringIO())
    console.facts = RunFacts(steps=10, flops_per_token=1e6)
    assert console.utilisation(100.0) is None
    assert "MFU" not in console.line(FIGURES)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (si(0), "0"), (si(999), "999"), (si(1000), "1.00k"), (si(12_345), "12.3k"), (si(2.5e18), "2500P"),
        (size(0), "0 B"), (size(1023), "1023 B"), (size(1536), "1.5 KiB"), (size(2**50), "1024.0 TiB"),
        (duration(0), "0:00"), (duration(59.6), "1:00"), (duration(3600), "1:00:00"),
    ],
)  # fmt: skip
def test_numbers_read_well(found: str, expected: str) -> None:
    assert found == expected


def test_memory_is_measured() -> None:
    assert memory_in_use(torch.device("cpu")) > 10 << 20
    assert PeakMemory(torch.device("cpu")).bytes() is None


class Refusing(io.StringIO):
    """A file that takes nothing, for a while."""

    def __init__(self, code: int) -> None:
        super().__init__()
        self.code: int | None = code
        self.asked = 0

    def write(self, text: str, /) -> int:
        self.asked += 1
        if self.code is not None:
            raise OSError(self.code, os.strerror(self.code))
        return super().write(text)


@pytest.mark.parametrize("code", [errno.EPIPE, errno.EIO])
def test_where_nobody_reads_on_it_falls_silent(code: int) -> None:
    file = Refusing(code)
    with Console(file) as console:
        console.note("one")
        console.table("title", ["a"], [["b"]])
        console.verbatim("two")
    assert file.asked == 1


def test_what_a_full_disk_does_not_take_is_left_out() -> None:
    file = Refusing(errno.ENOSPC)
    with Console(file) as console:
        console.note("one")
        file.code = None
        console.note("two")
    assert file.getvalue() == "two\n"


def test_what_the_encoding_does_not_have_is_a_question_mark() -> None:
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    with Console(file) as console:
        console.note("loss … 3")
    assert file.buffer.getvalue() == b"loss ? 3\n"


def test_without_a_standard_output_it_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", None)
    with Console() as console:
        console.note("nobody sees it")


GOES_ON = """
import sys, typedtorch
typedtorch.train(
    data="text.txt", out="out", device="cpu", layers=1, d_model=16, heads=2, seq=16, batch=4, steps=4,
    eval_tokens=256, sample=0, plot=False,
)
"""


@pytest.mark.parametrize("closed", ["pipe", "full"])
def test_a_run_goes_on_to_its_end_without_anybody_to_tell(text: Path, closed: str) -> None:
    with open("/dev/full", "w") as full:
        process = subprocess.Popen(
            [sys.executable, "-c", GOES_ON],
            stdout=full if closed == "full" else subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
    if process.stdout is not None:
        process.stdout.close()
        process.stdout = None
    assert process.communicate(timeout=120)[1] == ""
    assert process.returncode == 0
    assert Path("out/checkpoints/step-00000004").is_dir()
