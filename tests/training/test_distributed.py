"""Two processes over gloo: the losses of one, checkpoints for any number, signals that end all."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch

from typedtorch.training import load_checkpoint

SETTINGS: dict[str, Any] = {
    "device": "cpu", "layers": 2, "d_model": 16, "heads": 2, "seq": 16, "batch": 4, "steps": 6,
    "log_every": 2, "eval_every": 3, "save_every": 3, "eval_tokens": 512, "sample": 0, "plot": False,
}  # fmt: skip

SCRIPT = """
import io, json, os, sys, time
import typedtorch
from typedtorch.training import Callback, Console, Interrupted

settings, wait_at = json.loads(sys.argv[1]), int(sys.argv[2])

class Wait(Callback):
    def on_step(self, trainer):
        if trainer.step == wait_at:
            open(f"{settings['out']}.ready{trainer.parallel.rank}", "w").close()
        if wait_at:
            time.sleep(0.05)

shown = Console(io.StringIO())
result = typedtorch.train(console=shown, callbacks=[Wait()], **settings)
if os.environ.get("RANK", "0") == "0":
    json.dump([result.step, result.loss, result.val_loss], open(settings["out"] + ".json", "w"))
"""


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def start(tmp_path: Path, world: int, wait_at: int = 0, **changes: Any) -> list[subprocess.Popen[str]]:
    settings = json.dumps({**SETTINGS, "data": str(tmp_path / "text.txt"), **changes})
    shared = {
        **os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), "OMP_NUM_THREADS": "1",
        "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "WORLD_SIZE": str(world),
        "GLOO_SOCKET_IFNAME": "lo",
    }  # fmt: skip
    if world == 1:
        shared = {k: v for k, v in shared.items() if k != "WORLD_SIZE"}
    return [
        subprocess.Popen(
            [sys.executable, "-c", SCRIPT, settings, str(wait_at)],
            env={**shared, **({"RANK": str(rank), "LOCAL_RANK": str(rank)} if world > 1 else {})},
            cwd=tmp_path,
            text=True,
            stderr=subprocess.PIPE,
        )
        for rank in range(world)
    ]


def finish(processes: list[subprocess.Popen[str]]) -> list[int]:
    errors = [process.communicate(timeout=120)[1] for process in processes]
    codes = [process.returncode for process in processes]
    assert set(codes) <= {0, 143}, "\n".join(errors)
    return codes


def run(tmp_path: Path, out: str, world: int, **changes: Any) -> list[float]:
    assert finish(start(tmp_path, world, out=out, **changes)) == [0] * world
    found: list[float] = json.loads((tmp_path / f"{out}.json").read_text())
    return found


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("distributed")
    (folder / "text.txt").write_text("".join(f"line {i % 17} of {i % 5} in the text\n" for i in range(400)))
    return folder


@pytest.fixture(scope="module")
def alone(place: Path) -> list[float]:
    return run(place, "alone", 1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["ddp", "fsdp", "zero1"])
def test_two_processes_give_the_losses_of_one_and_save_one_whole_state(
    place: Path, alone: list[float], kind: str
) -> None:
    pair = run(place, kind, 2, parallel=kind)
    assert pair[0] == alone[0] == 6
    assert pair[1:] == pytest.approx(alone[1:], abs=2e-5)  # sums in another order, in float32
    ours = load_checkpoint(place / kind / "checkpoints" / "step-00000006")
    theirs = load_checkpoint(place / "alone" / "checkpoints" / "step-00000006")
    assert ours["model"].keys() == theirs["model"].keys()
    for name, value in theirs["model"].items():
        assert torch.allclose(ours["model"][name], value, atol=1e-4), name
    assert ours["optimizer"]["state"].keys() == theirs["optimizer"]["state"].keys()
    for index, state in theirs["optimizer"]["state"].items():
        assert torch.allclose(ours["optimizer"]["state"][index]["exp_avg"], state["exp_avg"], atol=1e-5)
    assert ours["data"] == theirs["data"]
    assert len(ours["rng"]) == 2


@pytest.mark.slow
def test_a_run_continues_under_another_number_of_processes(place: Path, alone: list[float]) -> None:
    run(place, "moved", 2, parallel="fsdp", steps=3, warmup=1, schedule="constant")
    back_in_one = run(place, "moved", 1, resume="auto", steps=5, parallel="auto")
    then_in_two = run(place, "moved", 2, resume="auto", steps=6, parallel="ddp")
    assert (back_in_one[0], then_in_two[0]) == (5, 6)
    whole = run(place, "whole", 1, warmup=1, schedule="constant")
    assert then_in_two[2] == pytest.approx(whole[2], abs=2e-5)


@pytest.mark.slow
def test_a_signal_to_one_process_ends_all_with_a_checkpoint(place: Path) -> None:
    processes = start(place, 2, wait_at=3, out="stopped", steps=2000, log_every=2, warmup=1)
    deadline = time.monotonic() + 90
    while not (place / "stopped.ready1").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    processes[1].send_signal(signal.SIGTERM)
    assert finish(processes) == [143, 143]
    saved = sorted((place / "stopped" / "checkpoints").iterdir())
    last = load_checkpoint(saved[-1])["counters"]["step"]
    assert 3 <= last < 2000
    assert run(place, "stopped", 1, resume="auto", steps=last + 1)[0] == last + 1
