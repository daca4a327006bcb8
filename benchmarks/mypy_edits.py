"""What a run of mypy costs after one file of a package was edited: with the plugin and without.

``python benchmarks/mypy_edits.py [NAME ...]`` downloads packages as ``static_packages.py`` does, checks each
in both configurations, and then, for some of its functions chosen by chance, adds a statement before a
``return`` and checks again.  It prints the medians over the edits of each package, and what a run costs
that follows no edit at all.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import re
import shutil
import statistics
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from static_packages import CACHE, RESULTS, Mypy, Package, download

PACKAGES = ("torchmetrics", "gpytorch", "refiners", "x-transformers", "zuko", "timm")
EDITS, ROUNDS = 5, 2
_RETURN = re.compile(r"^([ \t]+)return .*$", re.MULTILINE)


class Side:
    """mypy in one configuration over a copy of a package, with a cache that it keeps."""

    def __init__(self, folder: Path, package: Package, *, plugin: bool) -> None:
        self._mypy = Mypy(folder, "on" if plugin else "off", plugin=plugin, cold=True)
        self._package, self._cache = package, folder / ("cache_on" if plugin else "cache_off")
        self.seconds()

    def seconds(self) -> float:
        start = time.perf_counter()
        self._mypy.run(self._package.part, self._package.root, self._cache, 1800)
        return time.perf_counter() - start


def measure(package: Package, edits: int) -> tuple[tuple[float, float], list[tuple[float, float]]]:
    """Seconds without and with the plugin: after no edit, and after each of some."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy = Package(package.name, folder / "code", package.part)
        shutil.copytree(package.root, copy.root)
        off, on = Side(folder, copy, plugin=False), Side(folder, copy, plugin=True)
        warm = (min(off.seconds() for _ in range(ROUNDS)), min(on.seconds() for _ in range(ROUNDS)))
        chance = random.Random(package.name)
        functions = [
            (path, match)
            for path in copy.files()
            for match in _RETURN.finditer(path.read_text(errors="replace"))
        ]
        found = []
        for path, match in chance.sample(functions, min(edits, len(functions))):
            found.append(_edited(path, match, off, on))
        return warm, found


def _edited(path: Path, match: re.Match[str], off: Side, on: Side) -> tuple[float, float]:
    text = path.read_text(errors="replace")
    times: dict[Side, list[float]] = {off: [], on: []}
    for turn in range(ROUNDS):
        path.write_text(f"{text[: match.start()]}{match[1]}_edited = {turn}\n{text[match.start() :]}")
        for side, spent in times.items():
            spent.append(side.seconds())
    path.write_text(text)
    for side in times:
        side.seconds()
    return min(times[off]), min(times[on])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="packages (default: those listed in this file)")
    parser.add_argument("--edits", type=int, default=EDITS, help="functions to edit in each package")
    options = parser.parse_args()
    CACHE.mkdir(parents=True, exist_ok=True)
    cores = len(os.sched_getaffinity(0))
    head = "package                lines warm off     on  edit off     on  ratio  worst"
    lines = [f"{datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, {cores} cores; seconds on the clock", head]
    print("\n".join(lines), flush=True)
    for name in options.names or PACKAGES:
        package = download(name, CACHE)
        if package is None:
            print(f"{name:<20} cannot be had")
            continue
        (off, on), found = measure(package, options.edits)
        ratios = [with_ / without for without, with_ in found]
        without, with_ = (statistics.median(side) for side in zip(*found, strict=True))
        lines.append(
            f"{name:<20} {package.lines:>7} {off:>8.2f} {on:>6.2f} {without:>9.2f} {with_:>6.2f} "
            f"{statistics.median(ratios):>6.2f} {max(ratios):>6.2f}"
        )
        print(lines[-1], flush=True)
    if not options.names:
        (RESULTS / "mypy_edits.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
