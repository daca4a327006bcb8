"""mypy with the plugin against mypy without, on about 20,000 lines of model code; and ``typedtorch check``.

``python benchmarks/mypy_time.py`` copies the correct programs of the corpus often enough, runs mypy on them
in both configurations by turns, each with a cache of its own that holds torch already, and prints medians
and between what the ratios of single pairs of runs lie.  Where the engine is compiled it says so, and
writes to a file of its own.
"""

from __future__ import annotations

import itertools
import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from datetime import UTC, datetime
from pathlib import Path

from typedtorch.shapes.infer.program import program

ROOT = Path(__file__).parents[1]
PROGRAMS = ROOT / "tests" / "static" / "silent"
LINES = 20_000
COLD_RUNS, CODE_RUNS, WARM_RUNS = 2, 7, 9


def write(folder: Path) -> int:
    """Copies of the programs, a mixture of all folders, under new names; how many lines they have."""
    sources = [p for p in PROGRAMS.rglob("*.py") if "from ." not in p.read_text()]
    written = 0
    for source in itertools.cycle(sorted(sources, key=lambda p: zlib.crc32(p.name.encode()))):
        if written >= LINES:
            return written
        text = source.read_text()
        (folder / f"m{written}.py").write_text(text)
        written += text.count("\n")
    raise AssertionError("there are no programs")


def library(folder: Path) -> int:
    """Copies of Python's own asyncio, email and unittest; how many lines they have."""
    written = 0
    for package in ("asyncio", "email", "unittest"):
        for source in sorted((Path(json.__file__).parents[1] / package).glob("*.py")):
            (folder / f"{package}_{source.name}").write_bytes(source.read_bytes())
            written += source.read_bytes().count(b"\n")
    return written


def spent(folder: Path, config: Path, cache: Path, target: str = ".") -> tuple[float, float]:
    """Seconds of one run of mypy on the clock, and of all processors together."""
    command = ["mypy", "--config-file", str(config), "--cache-dir", str(cache), target]
    return timed(command, folder)


def timed(command: list[str], folder: Path) -> tuple[float, float]:
    """The same of any module's command."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    # as installed: with this variable Python compiles each of our modules anew in every process
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, capture_output=True, check=False, env=environment
    )
    after, end = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    return end - start, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Side:
    """One of the two configurations, with a cache of its own that holds torch already."""

    def __init__(self, folder: Path, code: Path, name: str, plugin: str) -> None:
        self._folder, self._code = folder, code
        self._config, self._cache = folder / f"{name}.ini", folder / f"cache_{name}"
        self._config.write_text(f"[mypy]\nstrict = True\n{plugin}")
        torch = folder / "only_torch.py"
        torch.write_text("import torch\nimport jaxtyping\nimport einops\n")
        spent(folder, self._config, self._cache, torch.name)

    def run(self, kind: str, turn: int) -> tuple[float, float]:
        """From nothing; of the code alone with torch cached; of a run that changes nothing."""
        cache = self._folder / f"{self._cache.name}_{kind.split(maxsplit=1)[0]}"
        if kind != "warm" or turn == 0:
            shutil.rmtree(cache, ignore_errors=True)
        if kind != "from nothing" and not cache.exists():
            shutil.copytree(self._cache, cache)
            if kind == "warm":
                spent(self._code, self._config, cache)
        return spent(self._code, self._config, cache)


def compare(off: Side, on: Side) -> dict[str, list[tuple[tuple[float, float], tuple[float, float]]]]:
    """Seconds without and with the plugin, by turns: what else the machine does then meets both alike."""
    runs = {"from nothing": COLD_RUNS, "code, torch cached": CODE_RUNS, "warm": WARM_RUNS}
    return {kind: [(off.run(kind, i), on.run(kind, i)) for i in range(n)] for kind, n in runs.items()}


def main() -> None:
    folder = Path(tempfile.mkdtemp())
    code = folder / "code"
    code.mkdir()
    try:
        lines = write(code)
        plugin = "plugins = typedtorch.mypy_plugin\n"
        found = compare(Side(folder, code, "off", ""), Side(folder, code, "on", plugin))
        single = ["typedtorch", "check", "--no-cache", "--jobs", "1", "."]
        alone = min(timed(single, code) for _ in range(COLD_RUNS))
        together = min(timed(["typedtorch", "check", "--no-cache", "."], code) for _ in range(COLD_RUNS))
        again = min(timed(["typedtorch", "check", "."], code) for _ in range(WARM_RUNS))
        (folder / "plain").mkdir()
        plain = library(folder / "plain")
        tensorless = min(timed(single, folder / "plain") for _ in range(WARM_RUNS))
    finally:
        shutil.rmtree(folder)
    cores = len(os.sched_getaffinity(0))
    compiled = not program.__file__.endswith(".py")
    engine = ", engine compiled" if compiled else ""
    where = f"{platform.machine()}, {cores} cores{engine}"
    text = [f"{datetime.now(UTC):%Y-%m-%d}, {where}, {lines} lines of model code"]
    for which, label in enumerate(("seconds on the clock", "CPU seconds of all processes")):
        text.append(label)
        for kind, pairs in found.items():
            without, with_ = (statistics.median(pair[side][which] for pair in pairs) for side in (0, 1))
            ratios = sorted(b[which] / a[which] for a, b in pairs)
            ratio = f"ratio {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"
            text.append(f"  {kind:<20} off {without:6.2f}  on {with_:6.2f}  {ratio}")
    text.append("typedtorch check, start included")
    clock = f"one process {alone[0]:.2f} s, {cores} {together[0]:.2f} s, again {again[0]:.2f} s"
    text.append(f"  on the clock         {clock}")
    text.append(f"  model code           {lines / alone[1]:8.0f} lines a CPU second")
    text.append(f"  code without tensors {plain / tensorless[1]:8.0f} lines a CPU second ({plain} lines)")
    print("\n".join(text))
    name = "mypy_time_compiled.txt" if compiled else "mypy_time.txt"
    (ROOT / "benchmarks" / "results" / name).write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
