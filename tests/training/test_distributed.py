"""Processes under ``torchrun`` and gloo: the losses of one, checkpoints for any number, one end for all."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch

from typedtorch.training import consolidate, load_checkpoint
from typedtorch.training.loggers import read_records

SETTINGS: dict[str, Any] = {
    "device": "cpu", "layers": 2, "d_model": 16, "heads": 2, "seq": 16, "batch": 4, "steps": 6,
    "log_every": 2, "eval_every": 3, "save_every": 3, "eval_tokens": 512, "sample": 0, "ema": 0.9,
    "warmup": 1, "schedule": "constant",
}  # fmt: skip
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node"]
pytestmark = pytest.mark.slow


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
    assert process.returncode == 0, said[1][-3000:]
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


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("distributed")
    (folder / "text.txt").write_text("".join(f"line {i % 17} of {i % 5} in the text\n" for i in range(400)))
    return folder


@pytest.fixture(scope="module")
def alone(place: Path) -> list[dict[str, object]]:
    return run(place, "alone", 1)


@pytest.mark.parametrize("kind", ["ddp", "fsdp", "zero1"])
def test_two_processes_do_what_one_does(place: Path, alone: list[dict[str, object]], kind: str) -> None:
    assert close(run(place, kind, 2, parallel=kind), alone)
    ours = load_checkpoint(checkpoint(place, kind, 6))
    same_state(ours, load_checkpoint(checkpoint(place, "alone", 6)), 1e-4)
    assert len(ours["rng"]) == 2
    summary = json.loads((place / kind / "summary.json").read_text())
    whole = json.loads((place / "alone" / "summary.json").read_text())
    assert summary["predicted"]["peak_memory"] < whole["predicted"]["peak_memory"]
    # at this size the buffers of the library that moves the bytes, which are not modelled, are a large part
    assert summary["peak_memory"] == pytest.approx(summary["predicted"]["peak_memory"], rel=0.3)


@pytest.mark.parametrize("kind", ["fsdp", "zero1"])
def test_each_process_writes_its_part_with_torch(place: Path, kind: str) -> None:
    from torch.distributed.checkpoint.format_utils import dcp_to_torch_save

    run(place, f"parts-{kind}", 2, parallel=kind, steps=3)
    folder = checkpoint(place, f"parts-{kind}", 3)
    names = {p.name for p in (folder / "shards").iterdir()}
    assert names == {".metadata", "__0_0.distcp", "__1_0.distcp"}
    sizes = [(folder / "shards" / f"__{rank}_0.distcp").stat().st_size for rank in range(2)]
    assert min(sizes) > 0.3 * max(sizes)
    # torch's own tool reads them, and finds what we find
    dcp_to_torch_save(folder / "shards", place / "torch.pt")
    theirs, ours = torch.load(place / "torch.pt", weights_only=True), load_checkpoint(folder)
    assert {n.removeprefix("model/") for n in theirs if n.startswith("model/")} == set(ours["model"])
    for name, value in ours["model"].items():
        assert torch.equal(theirs[f"model/{name}"], value)
    assert torch.equal(theirs["optimizer/0/exp_avg"], ours["optimizer"]["state"][0]["exp_avg"])
    # and back into one file
    one = consolidate(folder, place / f"one-{kind}")
    assert not (one / "shards").exists()
    same_state(load_checkpoint(one), ours, 0.0)


@pytest.mark.parametrize("kind", ["fsdp", "zero1", "ddp"])
def test_stopped_and_resumed_is_bit_for_bit_what_was_not(place: Path, kind: str) -> None:
    run(place, f"stop-{kind}", 2, parallel=kind, steps=3, dropout=0.1)
    run(place, f"stop-{kind}", 2, parallel=kind, steps=6, resume="auto")
    run(place, f"whole-{kind}", 2, parallel=kind, steps=6, dropout=0.1)
    stopped = load_checkpoint(checkpoint(place, f"stop-{kind}", 6))
    same_state(stopped, load_checkpoint(checkpoint(place, f"whole-{kind}", 6)), 0.0)


@pytest.mark.parametrize("kind", ["fsdp", "zero1", "ddp"])
def test_what_is_written_while_training_goes_on_is_the_state_of_its_step(place: Path, kind: str) -> None:
    several = {"parallel": kind, "steps": 6, "save_every": 2, "keep": 3}
    assert close(
        run(place, f"behind-{kind}", 2, background_save=True, **several),
        run(place, f"at-{kind}", 2, **several),
    )
    for step in (2, 4, 6):
        ours = load_checkpoint(checkpoint(place, f"behind-{kind}", step))
        same_state(ours, load_checkpoint(checkpoint(place, f"at-{kind}", step)), 0.0)
        assert ours["counters"]["step"] == step


def test_a_run_continues_under_another_number_and_kind_of_processes(place: Path) -> None:
    whole = run(place, "steady", 1, steps=12)
    run(place, "moved", 2, parallel="fsdp", steps=3)
    run(place, "moved", 1, resume="auto", steps=6, parallel="auto")
    run(place, "moved", 2, resume="auto", steps=9, parallel="zero1")
    moved = run(place, "moved", 4, resume="auto", steps=12, parallel="fsdp")
    assert moved[-1]["val_loss"] == pytest.approx(whole[-1]["val_loss"], rel=2e-5)


UNEVEN = """
import sys, torch
from torch import nn
from typedtorch.training import LoopSettings, LossSum, Trainer, join
from typedtorch.training.distributed import launched

def loss(model, batch):
    logits = model(batch[0]).flatten(0, 1)
    total = nn.functional.cross_entropy(logits, batch[1].flatten(), ignore_index=-1, reduction="sum")
    return LossSum(total, (batch[1] >= 0).sum())

torch.manual_seed(0)
model = nn.Sequential(nn.Embedding(11, 6), nn.Linear(6, 11))
parallel, device = join(sys.argv[1] if launched() else "none", torch.device("cpu"))
generator = torch.Generator().manual_seed(1)
rows = []
for i in range(12):
    inputs, targets = torch.randint(11, (2, 2, 8), generator=generator)
    targets[torch.rand(2, 8, generator=generator) < (0.9 if i % 3 else 0.1)] = -1
    rows.append((inputs, targets))
mine = [row for i, row in enumerate(rows) if i % parallel.world == parallel.rank]
with parallel:
    wrapped = parallel.wrap(model)
    optimizer = torch.optim.SGD(wrapped.parameters(), lr=0.5, momentum=0.9)
    settings = LoopSettings(steps=3, accumulate=4 // parallel.world, log_every=1, handle_signals=False)
    trainer = Trainer(wrapped, loss, mine, optimizer, settings, parallel=parallel)
    result = trainer.fit()
    state = parallel.model_state(wrapped)
    if parallel.rank == 0:
        norms = [f.grad_norm for f in result.figures]
        found = {"losses": torch.tensor(result.losses), "norms": torch.tensor(norms)}
        torch.save({"model": state, **found}, sys.argv[2])
parallel.close()  # once more is nothing
assert not torch.distributed.is_initialized()
"""


@pytest.mark.parametrize("kind", ["ddp", "fsdp"])
def test_gradients_are_those_of_all_valid_tokens_however_they_are_spread(place: Path, kind: str) -> None:
    (place / "uneven.py").write_text(UNEVEN)
    for launcher, out in (([sys.executable], "one.pt"), ([*TORCHRUN, "2"], f"{kind}.pt")):
        process = start(place, [*launcher, "uneven.py", kind, out])
        said = process.communicate(timeout=120)[1]
        assert process.returncode == 0, said
    one, two = torch.load(place / "one.pt"), torch.load(place / f"{kind}.pt")
    # plain SGD without clipping: a gradient of another scale would show at once
    torch.testing.assert_close(two["losses"], one["losses"])
    torch.testing.assert_close(two["norms"], one["norms"])
    for name, value in one["model"].items():
        torch.testing.assert_close(two["model"][name], value)


OWN_SCRIPT = """
import sys, typedtorch
found = typedtorch.train(
    data="text.txt", out=sys.argv[1], parallel=sys.argv[2], device="cpu", layers=1, d_model=16, heads=2,
    seq=16, batch=4, steps=3, eval_tokens=256, warmup=1, sample=0, plot=False,
)
assert found.step == 3
"""

FORGETFUL = """
import torch
from typedtorch.training import join
parallel, device = join("ddp", torch.device("cpu"))
assert float(parallel.sum(torch.ones(()))) == 2
"""


GOING_ON = """
import os, sys, time, typedtorch
from typedtorch.training import Callback

plain = os.fsync
def slowly(descriptor):
    time.sleep(0.2)
    plain(descriptor)
os.fsync = slowly

class Watch(Callback):
    meanwhile = 0
    def on_step(self, trainer):
        thread = trainer.saver._thread
        self.meanwhile += thread is not None and thread.is_alive()

watch = Watch()
typedtorch.train(
    data="text.txt", out="going-on", parallel=sys.argv[1], device="cpu", layers=1, d_model=16, heads=2,
    seq=16, batch=4, steps=12, save_every=6, eval_tokens=256, warmup=1, sample=0, plot=False,
    background_save=True, callbacks=[watch],
)
assert watch.meanwhile >= 3, watch.meanwhile
"""


def test_steps_are_taken_while_every_process_writes_its_part(place: Path) -> None:
    (place / "going_on.py").write_text(GOING_ON)
    process = start(place, [*TORCHRUN, "2", "going_on.py", "fsdp"])
    said = process.communicate(timeout=120)[1]
    assert process.returncode == 0, said
    assert load_checkpoint(checkpoint(place, "going-on", 12))["counters"]["step"] == 12


@pytest.mark.parametrize("kind", ["ddp", "zero1", "fsdp"])
def test_a_script_of_ones_own_ends_well(place: Path, kind: str) -> None:
    (place / "own.py").write_text(OWN_SCRIPT)
    process = start(place, [*TORCHRUN, "2", "own.py", f"own-{kind}", kind])
    said = process.communicate(timeout=120)[1]
    assert process.returncode == 0, said
    assert "destroy_process_group" not in said  # torch's warning about one that was forgotten


def test_a_script_that_forgets_to_leave_ends_well(place: Path) -> None:
    (place / "forgetful.py").write_text(FORGETFUL)
    process = start(place, [*TORCHRUN, "2", "forgetful.py"])
    said = process.communicate(timeout=120)[1]
    assert process.returncode == 0, said
    assert "destroy_process_group" not in said


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


@pytest.mark.parametrize("kind", ["ddp", "fsdp"])
def test_a_signal_to_one_process_ends_all_with_a_checkpoint(place: Path, kind: str) -> None:
    out = f"signalled-{kind}"
    process = start(place, command(place, out, 2, parallel=kind, steps=100_000, log_every=2, save_every=5))
    wait_for(checkpoint(place, out, 5), process)
    os.kill(workers(process.pid)[1], signal.SIGTERM)
    said = process.communicate(timeout=120)[1]
    assert process.returncode == 1, said[-2000:]  # torchrun's own
    assert sorted(re.findall(r"exitcode  : (-?\d+)", said)) == ["143", "143"], said[-3000:]
    assert said.count("stopped by signal 15 after step") == 2
    last = max(int(p.name[5:]) for p in (place / out / "checkpoints").iterdir())
    stopped = {int(n) for n in re.findall(r"stopped by signal 15 after step (\d+)", said)}
    assert stopped == {last}
    assert load_checkpoint(checkpoint(place, out, last))["counters"]["step"] == last
    run(place, out, 1, resume="auto", steps=last + 1, parallel="auto")


def test_a_signal_to_the_launcher_ends_all_with_a_checkpoint(place: Path) -> None:
    process = start(
        place, command(place, "ended", 2, parallel="ddp", steps=100_000, log_every=2, save_every=5)
    )
    wait_for(checkpoint(place, "ended", 5), process)
    process.send_signal(signal.SIGTERM)
    said = process.communicate(timeout=120)[1]
    stopped = {int(n) for n in re.findall(r"stopped by signal 15 after step (\d+)", said)}
    assert len(stopped) == 1, said[-2000:]
    assert load_checkpoint(checkpoint(place, "ended", stopped.pop()))["model"]


@pytest.mark.parametrize("background", [False, True])
def test_a_disk_that_refuses_one_process_fails_in_all(place: Path, background: bool) -> None:
    out = f"full-{background}"
    arguments = command(place, out, 2, parallel="fsdp", save_every=2, background_save=background)
    limited = ["sh", "-c", "ulimit -f 20; trap '' XFSZ; exec \"$@\"", "sh", *arguments]
    process = start(place, limited)
    said = process.communicate(timeout=180)[1]
    assert process.returncode == 1
    assert said.count("typedtorch: error:") == 2, said[-3000:]
    assert "File too large" in said
    assert not [p for p in (place / out / "checkpoints").iterdir() if p.name.startswith("step-")]
