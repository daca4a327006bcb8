"""Saving and loading a checkpoint with checksums, beside ``torch.save`` and ``torch.load``.

    python benchmarks/checkpoint.py [--gigabytes 1.0] [--folder FOLDER]

A model's weights and AdamW's two moments. Ours hashes every byte, flushes every file and the folders, and
verifies every byte on the way back; torch's is also shown with a flush, without which nothing is on the disk.
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

from typedtorch.training import CheckpointStore


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


def timed(action: Callable[[], object]) -> float:
    """Seconds."""
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


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

        def flushed() -> None:
            with open(path, "wb") as file:
                torch.save(state, file)
                file.flush()
                os.fsync(file.fileno())

        saved: list[Path] = []

        def save_ours() -> None:
            saved[:] = [store.save(1, state)]

        store = CheckpointStore(ours, keep=1)
        actions: dict[str, Callable[[], object]] = {
            "torch.save": lambda: torch.save(state, path),
            "torch.save, flushed": flushed,
            "typedtorch save": save_ours,
            "torch.load": lambda: torch.load(path, weights_only=True),
            "typedtorch load": lambda: store.load(saved[0]),
            "copy in memory (what a background save stalls a step by)": lambda: _copy(state),
        }
        best = dict.fromkeys(actions, float("inf"))
        for _ in range(options.rounds):
            for name, action in actions.items():
                best[name] = min(best[name], timed(action))
        stall = timed(lambda: store.save_in_background(2, state))
        store.wait()
        best["typedtorch save_in_background"] = stall
        shutil.rmtree(ours)
    base = {"typedtorch save": "torch.save, flushed", "typedtorch load": "torch.load"}
    rows = [
        {
            "action": name,
            "seconds": round(seconds, 3),
            "over_torch": round(seconds / best[base[name]], 2) if name in base else "",
        }
        for name, seconds in best.items()
    ]
    write_result("checkpoint", {"gigabytes": options.gigabytes, "rounds": options.rounds}, rows)


def _copy(state: dict[str, Any]) -> None:
    for tensor in state["model"].values():
        tensor.clone()
    for entry in state["optimizer"]["state"].values():
        for tensor in entry.values():
            tensor.clone()


if __name__ == "__main__":
    main()
