"""Saving and loading a checkpoint with checksums, beside ``torch.save`` and ``torch.load``.

    python benchmarks/checkpoint.py [--gigabytes 1.0] [--folder FOLDER]

A model's weights and AdamW's two moments. Ours sums every byte, writes beside what is there, flushes every
file and the folders, renames, and verifies every byte on the way back. torch's is shown as it is (over the
file of the round before, nothing flushed), flushed, and as safe as ours: to a new name, flushed, renamed.
CPU time is of all threads, the kernel's share included.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from report import write_result

from typedtorch.data.files import fsync_folder
from typedtorch.training import CheckpointStore
from typedtorch.training.snapshot import copied


def make_state(gigabytes: float) -> dict[str, Any]:
    """Weights and two moments of 60 tensors."""
    size = int(gigabytes * 1e9 / 4 / 3 / 20)
    return {
        "model": {f"layer{i}.weight": torch.randn(size) for i in range(20)},
        "optimizer": {
            "state": {
                i: {"step": torch.tensor(1.0), "exp_avg": torch.randn(size), "exp_avg_sq": torch.rand(size)}
                for i in range(20)
            },
            "param_groups": [{"lr": 1e-3, "params": list(range(20))}],
        },
    }


def timed(action: Callable[[], object]) -> tuple[float, float]:
    """Seconds, and seconds of CPU time."""
    began, spent = time.perf_counter(), time.process_time()
    action()
    return time.perf_counter() - began, time.process_time() - spent


def main() -> None:
    """Measure and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", default=None, help="where the files are written for the time being")
    options = parser.parse_args()
    state = make_state(options.gigabytes)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        path, ours = Path(folder, "torch.pt"), Path(folder, "ours")

        def flushed(to: Path = path) -> None:
            with open(to, "wb") as file:
                torch.save(state, file)
                file.flush()
                os.fsync(file.fileno())

        def renamed() -> None:
            flushed(Path(folder, "new.pt"))
            os.replace(Path(folder, "new.pt"), Path(folder, "renamed.pt"))
            fsync_folder(Path(folder))

        saved: list[Path] = []
        copies: list[object] = []

        def save_ours() -> None:
            saved[:] = [store.save(1, state)]

        store = CheckpointStore(ours, keep=1)
        actions: dict[str, Callable[[], object]] = {
            "torch.save": lambda: torch.save(state, path),
            "torch.save, flushed": flushed,
            "torch.save, new file, flushed, renamed": renamed,
            "typedtorch save": save_ours,
            "torch.load": lambda: torch.load(path, weights_only=True),
            "typedtorch load": lambda: store.load(saved[0]),
            "clone of every tensor": lambda: copies.append(copied(state)),
            "typedtorch save_in_background (what the step waits for)": lambda: store.save_in_background(
                2, state
            ),
        }
        found: dict[str, list[tuple[float, float]]] = {name: [] for name in actions}
        for _ in range(options.rounds):
            for name, action in actions.items():
                found[name].append(timed(action))
                store.wait()
                copies.clear()
        shutil.rmtree(ours)
    least = {name: [min(column) for column in zip(*times, strict=True)] for name, times in found.items()}
    rows = [row(name, least) for name in actions]
    write_result("checkpoint", {"gigabytes": options.gigabytes, "rounds": options.rounds}, rows)


_BASE = {
    "typedtorch save": ("torch.save", "torch.save, flushed", "torch.save, new file, flushed, renamed"),
    "typedtorch load": ("torch.load",),
    "typedtorch save_in_background (what the step waits for)": ("clone of every tensor",),
}


def row(name: str, least: dict[str, list[float]]) -> dict[str, object]:
    """Times, and their ratios to the same work by torch."""
    wall, cpu = least[name]
    over = [f"{wall / least[b][0]:.2f} ({cpu / least[b][1]:.2f}) of {b}" for b in _BASE.get(name, ())]
    return {
        "action": name,
        "seconds": round(wall, 3),
        "cpu_seconds": round(cpu, 3),
        "ratio (of CPU)": "; ".join(over),
    }


if __name__ == "__main__":
    main()
