"""What a person sees: one live line on a terminal, plain lines anywhere else."""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Any, cast

import torch
from rich.console import Console as RichConsole
from rich.live import Live
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from typedtorch.training.figures import Figures
from typedtorch.training.usage import memory_in_use


@dataclass(frozen=True)
class RunFacts:
    """What the live line needs to know of the run."""

    steps: int
    flops_per_token: float | None = None
    peak_flops: float | None = None
    """Of all processes together."""
    device: torch.device | None = None


class _Output:
    """What is shown goes to ``file`` (standard output unless given) as far as that takes it.

    Where the terminal has gone or the pipe was closed it falls silent; what a full disk does not take is
    left out, and what the encoding does not have is a question mark.
    """

    def __init__(self, file: IO[str] | None) -> None:
        self._file, self._silent = file, False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._now, name)

    @property
    def _now(self) -> IO[str]:
        return self._file or sys.stdout or _nowhere()

    def write(self, text: str) -> int:
        """All of it, or as much as can be."""
        self._try(lambda: self._write(text))
        return len(text)

    def _write(self, text: str) -> None:
        try:
            self._now.write(text)
        except UnicodeEncodeError as error:
            self._now.write(text.encode(error.encoding, "replace").decode(error.encoding))

    def flush(self) -> None:
        """Hand on what was written."""
        self._try(self._now.flush)

    def end(self) -> None:
        """Leave nothing that cannot be written for the interpreter to complain about when it ends."""
        with contextlib.suppress(ValueError):  # closed already
            try:
                self._now.flush()
            except OSError:
                self._fall_silent()

    def _try(self, action: Callable[[], object]) -> None:
        if self._silent:
            return
        try:
            action()
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):  # a disk may have room again
                self._fall_silent()

    def _fall_silent(self) -> None:
        self._silent = True
        with contextlib.suppress(OSError, ValueError, AttributeError):  # not every file has a number
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._now.fileno())
            os.close(nowhere)


@functools.cache
def _nowhere() -> IO[str]:
    """For a process without a standard output."""
    return open(os.devnull, "w", encoding="utf-8")


class Console:
    """Shows a run to a person: a banner, a live line of figures, notes, tables.

    On a terminal the live line is redrawn in place. Elsewhere (a file, a pipe, ``TERM=dumb``) every update is
    a line of its own, without carriage returns or colours. ``NO_COLOR`` is respected. Where output cannot be
    written it is left out, and the run goes on.
    """

    def __init__(self, file: IO[str] | None = None, *, quiet: bool = False) -> None:
        self._output = _Output(file)
        self.rich = RichConsole(
            file=cast("IO[str]", self._output), quiet=quiet, highlight=False, soft_wrap=True
        )
        self.live_line = self.rich.is_terminal and not self.rich.is_dumb_terminal
        self.facts = RunFacts(steps=0)
        self._live: Live | None = None
        self._last: Figures | None = None
        self._pace = 0.0

    def __enter__(self) -> Console:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end_line()
        self._output.end()

    def banner(self, title: str, rows: Sequence[tuple[str, str]]) -> None:
        """A title and what is about to happen, aligned."""
        width = max(len(name) for name, _ in rows)
        self._print(f"[bold]{escape(title)}[/bold]")
        for name, value in rows:
            self._print(f"  [cyan]{escape(name.ljust(width))}[/cyan]  {escape(value)}")

    def figures(self, figures: Figures, /) -> None:
        """The latest figures."""
        # the last stretch alone would make the remaining time jump
        self._pace = 0.8 * self._pace + 0.2 * figures.step_seconds if self._pace else figures.step_seconds
        text = self.line(figures)
        self._last = figures
        if not self.live_line:
            self._print(escape(text))
            return
        if self._live is None:
            self._live = Live(console=self.rich, auto_refresh=False, transient=True)
            self._live.start()
        self._live.update(Text(text, no_wrap=True, overflow="ellipsis"), refresh=True)

    def line(self, f: Figures) -> str:
        """The line for some figures."""
        left = max(0, self.facts.steps - f.step) * self._pace
        parts = [
            f"step {f.step}/{self.facts.steps}",
            f"ETA {duration(left)}",
            f"loss {f.loss:.4f}",
            f"lr {f.lr:.2e}",
            f"grad {f.grad_norm:.2f}",
            f"{si(f.items_per_second)} tok/s",
        ]
        used = self.utilisation(f.items_per_second)
        if used is not None:
            parts.append(f"MFU {used:.0%}")
        parts += [f"mem {size(memory_in_use(self.facts.device))}", f"data {f.data_wait:.1%}"]
        return "  ".join(parts)

    def utilisation(self, tokens_per_second: float) -> float | None:
        """Achieved over promised FLOP/s, where both are known."""
        if not self.facts.flops_per_token or not self.facts.peak_flops:
            return None
        return tokens_per_second * self.facts.flops_per_token / self.facts.peak_flops

    def note(self, text: str, /) -> None:
        """One line that stays."""
        self._print(escape(text))

    def end_line(self) -> None:
        """Leave the last live line standing and go on below it."""
        if self._live is not None:
            self._live.stop()
            self._live = None
            if self._last is not None:
                self._print(escape(self.line(self._last)))

    def table(self, title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """A table, numbers to the right."""
        if not self.live_line:
            self._plain_table(title, header, rows)
            return
        table = Table(title=title, title_justify="left", title_style="bold")
        for i, name in enumerate(header):
            table.add_column(name, justify="left" if i in (0, len(header) - 1) else "right")
        for row in rows:
            table.add_row(*map(escape, row))
        self.rich.print(table)

    def _plain_table(self, title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
        self._print(escape(title))
        for row in [header, *rows]:
            cells = [
                cell.ljust(w) if i in (0, len(header) - 1) else cell.rjust(w)
                for i, (cell, w) in enumerate(zip(row, widths, strict=True))
            ]
            self._print(escape("  " + "  ".join(cells).rstrip()))

    def verbatim(self, text: str) -> None:
        """Text as it is: nothing in it is markup, and no control character reaches the terminal."""
        shown = "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)
        self.rich.print(Text(shown))

    def _print(self, markup: str) -> None:
        self.rich.print(markup)


def duration(seconds: float) -> str:
    """
    >>> duration(5), duration(75), duration(7384)
    ('0:05', '1:15', '2:03:04')
    """
    minutes, s = divmod(round(seconds), 60)
    hours, m = divmod(minutes, 60)
    return f"{hours}:{m:02d}:{s:02d}" if hours else f"{m}:{s:02d}"


def si(value: float, unit: str = "") -> str:
    """Three digits and a decimal prefix, and the unit if there is one.

    >>> si(950), si(18240), si(3.2e6), si(989.4e12, "FLOP/s")
    ('950', '18.2k', '3.20M', '989 TFLOP/s')
    """
    for prefix in ("", "k", "M", "G", "T", "P"):
        if abs(value) < 1000 or prefix == "P":
            break
        value /= 1000
    behind = f" {prefix}{unit}" if unit else prefix
    if not prefix and value == int(value):
        return f"{int(value)}{behind}"
    digits = 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0
    return f"{value:.{digits}f}{behind}"


def size(count: float) -> str:
    """Bytes with a binary prefix.

    >>> size(3_500_000), size(2**34)
    ('3.3 MiB', '16.0 GiB')
    """
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if abs(count) < 1024 or unit == "TiB":
            break
        count /= 1024
    return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
