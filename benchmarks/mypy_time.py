"""mypy with the plugin against mypy without, on about 20,000 lines of model code; and ``typedtorch check``.

``python benchmarks/mypy_time.py`` copies the correct programs of the corpus often enough, runs mypy on them
in both configurations, each with a cache of its own that holds torch already, and prints the ratios.
"""

from __future__ import annotations

import itertools
import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import zlib
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROGRAMS = ROOT / "tests" / "static" / "silent"
LINES = 20_000
COLD_RUNS, WARM_RUNS = 2, 5


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


def measure(folder: Path, code: Path, name: str, plugin: str) -> dict[str, tuple[float, float]]:
    """From nothing; of the code alone with torch cached; of a run that changes nothing."""
    config, cache = folder / f"{name}.ini", folder / f"cache_{name}"
    config.write_text(f"[mypy]\nstrict = True\n{plugin}")
    torch = folder / "only_torch.py"
    torch.write_text("import torch\nimport jaxtyping\nimport einops\n")
    nothing = min(spent(code, config, folder / f"nothing_{name}_{i}") for i in range(COLD_RUNS))
    spent(folder, config, cache, torch.name)
    copies = [shutil.copytree(cache, folder / f"cache_{name}_{i}") for i in range(COLD_RUNS)]
    cold = min(spent(code, config, copy) for copy in copies)
    cache = copies[0]
    warm = min(spent(code, config, cache) for _ in range(WARM_RUNS))
    return {"from nothing": nothing, "code, torch cached": cold, "warm": warm}


def main() -> None:
    folder = Path(tempfile.mkdtemp())
    code = folder / "code"
    code.mkdir()
    try:
        lines = write(code)
        off = measure(folder, code, "off", "")
        on = measure(folder, code, "on", "plugins = typedtorch.mypy_plugin\n")
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
    text = [f"{datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, {cores} cores, {lines} lines of model code"]
    for which, label in enumerate(("seconds on the clock", "CPU seconds of all processes")):
        text.append(label)
        for run in off:
            without, with_ = off[run][which], on[run][which]
            text.append(f"  {run:<20} off {without:6.2f}  on {with_:6.2f}  ratio {with_ / without:.2f}")
    text.append("typedtorch check, start included")
    clock = f"one process {alone[0]:.2f} s, {cores} {together[0]:.2f} s, again {again[0]:.2f} s"
    text.append(f"  on the clock         {clock}")
    text.append(f"  model code           {lines / alone[1]:8.0f} lines a CPU second")
    text.append(f"  code without tensors {plain / tensorless[1]:8.0f} lines a CPU second ({plain} lines)")
    print("\n".join(text))
    (ROOT / "benchmarks" / "results" / "mypy_time.txt").write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
