"""Print a benchmark's rows and keep them under ``benchmarks/results`` with the date and the hardware."""

from __future__ import annotations

import datetime
import json
import os
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch

RESULTS = Path(__file__).parent / "results"


def hardware() -> str:
    """The processor, its cores, and the GPU if there is one."""
    name = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        name = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    gpu = f", {torch.cuda.get_device_name()}" if torch.cuda.is_available() else ""
    return f"{name}, {os.cpu_count()} cores{gpu}"


def write_result(
    name: str, settings: Mapping[str, object], rows: Sequence[Mapping[str, object]], *, keep: bool = True
) -> None:
    """Print the rows as a table; with ``keep`` also write ``results/<name>.json``."""
    header = list(rows[0])
    cells = [header, *([f"{row.get(key, '')}" for key in header] for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(header))]
    for line in cells:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
    if keep:
        RESULTS.mkdir(exist_ok=True)
        record = {
            "benchmark": name,
            "date": datetime.date.today().isoformat(),
            "hardware": hardware(),
            "torch": torch.__version__,
            "python": platform.python_version(),
            "settings": dict(settings),
            "rows": [dict(row) for row in rows],
        }
        (RESULTS / f"{name}.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
