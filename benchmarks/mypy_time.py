"""mypy with the plugin against mypy without, on about 20,000 lines of model code: CPU time, cold and warm.

``python benchmarks/mypy_time.py`` copies the correct programs of the corpus often enough, runs mypy on them
in both configurations, each with a cache of its own that holds torch already, and prints the ratios.
"""

from __future__ import annotations

import platform
import resource
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROGRAMS = ROOT / "tests" / "static" / "silent"
LINES = 20_000
WARM_RUNS = 3


def write(folder: Path) -> int:
    """Copies of the programs under new names; how many lines they have."""
    sources = [p for p in sorted(PROGRAMS.rglob("*.py")) if "from ." not in p.read_text()]
    written = 0
    while written < LINES:
        for number, source in enumerate(sources):
            text = source.read_text()
            (folder / f"m{written}_{number}.py").write_text(text)
            written += text.count("\n")
    return written


def cpu(folder: Path, config: Path, cache: Path, target: str = ".") -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "mypy", "--config-file", str(config), "--cache-dir", str(cache), target]
    subprocess.run(command, cwd=folder, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(folder: Path, code: Path, name: str, plugin: str) -> dict[str, float]:
    """Seconds from nothing, of the code alone with torch cached, and of a run that changes nothing."""
    config, cache = folder / f"{name}.ini", folder / f"cache_{name}"
    config.write_text(f"[mypy]\nstrict = True\n{plugin}")
    torch = folder / "only_torch.py"
    torch.write_text("import torch\nimport jaxtyping\nimport einops\n")
    first = cpu(folder, config, cache, torch.name)
    cold = cpu(code, config, cache)
    warm = min(cpu(code, config, cache) for _ in range(WARM_RUNS))
    return {"from nothing": first + cold, "code, torch cached": cold, "warm": warm}


def main() -> None:
    folder = Path(tempfile.mkdtemp())
    code = folder / "code"
    code.mkdir()
    try:
        lines = write(code)
        off = measure(folder, code, "off", "")
        on = measure(folder, code, "on", "plugins = typedtorch.mypy_plugin\n")
    finally:
        shutil.rmtree(folder)
    text = [f"{datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, {lines} lines, CPU seconds"]
    text += [f"{k:<20} off {off[k]:6.2f}  on {on[k]:6.2f}  ratio {on[k] / off[k]:.2f}" for k in off]
    print("\n".join(text))
    (ROOT / "benchmarks" / "results" / "mypy_time.txt").write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
