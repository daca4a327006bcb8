"""What the tests of several processes share: the command a person would type, ``torchrun`` with gloo."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch

from typedtorch.training.loggers import read_records

SETTINGS: dict[str, Any] = {
    "device": "cpu", "layers": 2, "d_model": 16, "heads": 2, "seq": 16, "batch": 4, "steps": 6,
    "log_every": 2, "eval_every": 3, "save_every": 3, "eval_tokens": 512, "sample": 0, "ema": 0.9,
    "warmup": 1, "schedule": "constant",
}  # fmt: skip
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node"]


def command(place: Path, out: str, world: int, **changes: Any) -> list[str]:
    launcher = [*TORCHRUN, str(world)] if world > 1 else [sys.executable]
    settings = {**SETTINGS, "data": str(place / "text.txt"), "out": out, **changes}
    switches = [f"--{name.replace('_', '-')}" for name, value in settings.items() if value is True]
    flags = [
        word
        for name, value in settings.items()
        if not isinstance(value, bool)
        for word in (f"--{name.replace('_', '-')}", str(value))
    ]
    return [*launcher, "-m", "typedtorch", "train", *flags, *switches, "--no-plot"]


def start(place: Path, arguments: list[str]) -> subprocess.Popen[str]:
    environment = {
        **os.environ, "XDG_CACHE_HOME": str(place / "cache"), "OMP_NUM_THREADS": "1",
        "GLOO_SOCKET_IFNAME": "lo",
    }  # fmt: skip
    pipe = subprocess.PIPE
    return subprocess.Popen(arguments, env=environment, cwd=place, text=True, stdout=pipe, stderr=pipe)


def run(place: Path, out: str, world: int, **changes: Any) -> list[dict[str, object]]:
    """Train with the command a person would type; what it logged, the times left out."""
    process = start(place, command(place, out, world, **changes))
    said = process.communicate(timeout=180)
    assert process.returncode == 0, said[1][:8000] + "\n...\n" + said[1][-3000:]
    keys = ("step", "loss", "grad_norm", "lr", "items", "val_loss")
    return [{k: r[k] for k in keys if k in r} for r in read_records(place / out / "metrics.jsonl")]


def close(ours: list[dict[str, object]], theirs: list[dict[str, object]]) -> bool:
    """The same figures, but for sums in another order in float32."""
    return [r.keys() for r in ours] == [r.keys() for r in theirs] and all(
        a[key] == pytest.approx(b[key], rel=2e-5) for a, b in zip(ours, theirs, strict=True) for key in a
    )


def checkpoint(place: Path, out: str, step: int) -> Path:
    return place / out / "checkpoints" / f"step-{step:08d}"


def same_state(ours: dict[str, Any], theirs: dict[str, Any], tolerance: float) -> None:
    """Every tensor of the models, the averages and the optimizers."""
    for part in ("model", "ema"):
        assert ours[part].keys() == theirs[part].keys()
        for name, value in theirs[part].items():
            assert torch.allclose(ours[part][name], value, rtol=0, atol=tolerance), (part, name)
    mine, other = ours["optimizer"], theirs["optimizer"]
    assert [g["params"] for g in mine["param_groups"]] == [g["params"] for g in other["param_groups"]]
    assert mine["state"].keys() == other["state"].keys()
    for number, state in other["state"].items():
        assert mine["state"][number].keys() == state.keys()
        for name, value in state.items():
            assert torch.allclose(mine["state"][number][name], value, rtol=0, atol=tolerance), (number, name)
    assert ours["data"] == theirs["data"]


def wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    """Until a running command has written ``path``; where it never does, it is ended and shown."""
    deadline = time.monotonic() + 400
    while not path.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    if not path.exists():
        process.terminate()
        pytest.fail(f"{path} was never written: {process.communicate(timeout=60)[1][-3000:]}")


def workers(launcher: int) -> list[int]:
    found = subprocess.run(["pgrep", "-P", str(launcher)], capture_output=True, text=True, check=False)
    return sorted(map(int, found.stdout.split()))


def text_in(folder: Path) -> Path:
    """The folder, with something to train on."""
    (folder / "text.txt").write_text("".join(f"line {i % 17} of {i % 5} in the text\n" for i in range(400)))
    return folder
