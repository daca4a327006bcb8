"""Faults as they happen: other processes, real signals, real disks, the real allocator."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from typedtorch.training import (
    CheckpointError,
    CheckpointStore,
    LossSum,
    NonFiniteError,
    OutOfMemory,
    RunFolderError,
)
from typedtorch.training.runfolder import RunFolder

from .checkpoints import in_a_child
from .parts import make_trainer, token_loss, weights

TESTS = Path(__file__).parent.parent


def child(script: str, *arguments: object, cwd: Path) -> subprocess.Popen[str]:
    """A Python process of its own that can import the tests' parts."""
    environment = {**os.environ, "PYTHONPATH": str(TESTS), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.Popen(command, cwd=cwd, env=environment, text=True, stderr=subprocess.PIPE)


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 400
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.002)
    assert path.exists()


# --- a signal from outside, at any moment

AT_A_MOMENT = """
import os, sys, time
from pathlib import Path
from training.parts import make_trainer
from typedtorch.training import Callback, CheckpointStore
import typedtorch.training.checkpoint as checkpoint

moment, ready = sys.argv[1], Path("ready")

def here(name):
    if name == moment and not ready.exists():
        ready.touch()
        time.sleep(0.5)  # the signal comes meanwhile

class Steps(Callback):
    def on_step(self, trainer):
        if trainer.step == 4:
            here("train")
        time.sleep(0.002)

def evaluate(model, stop):
    for i in range(200):
        if stop():
            return {}
        if i == 3:
            here("evaluate")
    return {"loss": 0.0}

plain = os.fsync
def fsync(descriptor):
    here("save")
    plain(descriptor)
os.fsync = fsync

trainer = make_trainer(
    steps=3000, save_every=5, eval_every=7, handle_signals=True,
    others={"callbacks": [Steps()], "evaluate": evaluate, "store": CheckpointStore("checkpoints")},
)
trainer.fit()
"""


STOPS = [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)]


@pytest.mark.parametrize(("number", "code"), STOPS)
@pytest.mark.parametrize(("moment", "step"), [("train", 4), ("evaluate", 7), ("save", 5)])
def test_a_signal_from_outside_finishes_saves_and_leaves_with_its_code(
    tmp_path: Path, moment: str, step: int, number: int, code: int
) -> None:
    process = child(AT_A_MOMENT, moment, cwd=tmp_path)
    wait_for(tmp_path / "ready")
    process.send_signal(number)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == code, said
    path, state = CheckpointStore(tmp_path / "checkpoints").latest()
    assert state["counters"]["step"] == step
    assert [p.name for p in path.parent.iterdir() if p.name.startswith(".")] == []
    resumed = make_trainer(seed=3, steps=step + 1)
    resumed.load_state_dict(state)
    assert resumed.fit().step == step + 1


@pytest.mark.parametrize("moment", ["train", "save"])
def test_a_second_signal_from_outside_ends_at_once(tmp_path: Path, moment: str) -> None:
    process = child(AT_A_MOMENT.replace("time.sleep(0.5)", "time.sleep(30)"), moment, cwd=tmp_path)
    wait_for(tmp_path / "ready")
    process.send_signal(signal.SIGTERM)
    time.sleep(0.2)
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 143
    assert time.monotonic() - began < 25  # and not after the 30 seconds it was busy for
    assert CheckpointStore(tmp_path / "checkpoints").saved() == []


# --- disks

PRIVATE = ["unshare", "--map-root-user", "--mount"]


def needs_mounts() -> None:
    probe = [*PRIVATE, "mount", "-t", "tmpfs", "none", "/mnt"]
    if not shutil.which("unshare") or subprocess.run(probe, capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody mount a file system of their own")


def in_private_mount(tmp_path: Path, mount: str, script: str) -> str:
    """Run a script with a file system of its own mounted at ``disk``; what it printed."""
    needs_mounts()
    (tmp_path / "disk").mkdir()
    line = f'{mount} && exec "$@"'
    command = [*PRIVATE, "sh", "-c", line, "sh", sys.executable, "-c", script]
    environment = {**os.environ, "PYTHONPATH": str(TESTS), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


FULL = """
import torch
from typedtorch.training import CheckpointError, CheckpointStore
store = CheckpointStore("disk/checkpoints")
store.save(1, {"model": {"w": torch.ones(50)}})
for background in (False, True):
    try:
        if background:
            store.save_in_background(2, {"model": {"w": torch.zeros(300_000)}})
            store.wait()
        else:
            store.save(2, {"model": {"w": torch.zeros(300_000)}})
    except CheckpointError as error:
        print(error)
print(sorted(p.name for p in store.folder.iterdir()))
print(float(CheckpointStore("disk/checkpoints").latest()[1]["model"]["w"].sum()))
store.save(3, {"model": {"w": torch.ones(60)}})
print(sorted(p.name for p in store.folder.iterdir()))
"""


def test_a_small_disk_that_fills_keeps_the_older_checkpoint(tmp_path: Path) -> None:
    said = in_private_mount(tmp_path, "mount -t tmpfs -o size=400k none disk", FULL).splitlines()
    hint = "expected a complete write, found No space left on device (the disk is full; older checkpoints"
    assert [hint in line for line in said[:2]] == [True, True]
    assert said[2:4] == ["['step-00000001']", "50.0"]
    assert said[4] == "['step-00000001', 'step-00000003']"


READ_ONLY = """
import typedtorch
from typedtorch.training import CheckpointError, CheckpointStore, RunFolderError
try:
    CheckpointStore("disk/checkpoints")
except CheckpointError as error:
    print(error)
try:
    typedtorch.train(data="text.txt", out="disk/run", device="cpu", layers=1, d_model=16, heads=2, seq=16)
except RunFolderError as error:
    print(error)
"""


def test_a_read_only_disk_is_found_before_the_first_step(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("some text, over and over. " * 100)
    mount = "mount -t tmpfs none disk && mount -o remount,ro disk"
    said = in_private_mount(tmp_path, mount, READ_ONLY).splitlines()
    said = [line for line in said if "step 1/" in line or "expected a folder" in line]
    assert len(said) == 2
    assert said[-2].endswith("expected a folder that can be written, found Read-only file system")
    assert said[-1].endswith("disk/run: expected a folder that can be written, found Read-only file system")


TAKEN = """
from pathlib import Path
from typedtorch.training import RunFolderError
from typedtorch.training.runfolder import RunFolder
Path("disk/run").mkdir()
Path("disk/fill").write_bytes(bytes(380_000))
for size in (4096, 1):
    try:
        with open("disk/fill", "ab") as file:
            while True:
                file.write(bytes(size)), file.flush()
    except OSError:
        pass
try:
    RunFolder("disk/run")
except RunFolderError as error:
    print(error)
"""


def test_a_full_disk_is_found_at_the_start(tmp_path: Path) -> None:
    said = in_private_mount(tmp_path, "mount -t tmpfs -o size=400k none disk", TAKEN)
    assert "disk/run: expected a folder that can be written, found No space left on device" in said


@pytest.mark.parametrize("make", [CheckpointStore, RunFolder])
def test_a_folder_of_somebody_else_is_found_at_the_start(make: Callable[[Path], Any]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "theirs").mkdir(mode=0o555)

        def use() -> None:
            if os.geteuid() == 0:
                os.setuid(65534)  # root may write anywhere
            for path in (folder / "theirs", folder / "theirs" / "new"):
                try:
                    make(path)
                except (CheckpointError, RunFolderError) as error:
                    if "expected a folder that can be written, found Permission denied" in str(error):
                        continue
                os._exit(71)

        assert in_a_child(use) == 0


def test_a_background_save_onto_a_full_disk_surfaces_and_training_can_go_on(tmp_path: Path) -> None:
    store = CheckpointStore(tmp_path)
    store.save(1, {"model": {"w": torch.ones(5)}})

    def save() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
        store.save_in_background(2, {"model": {"w": torch.zeros(100_000)}})
        try:
            store.save_in_background(3, {"model": {"w": torch.ones(5)}})
        except CheckpointError as error:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
            store.save(4, {"model": {"w": torch.ones(7)}})
            os._exit(0 if "File too large (the disk is full" in str(error) else 71)

    assert in_a_child(save) == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["step-00000001", "step-00000004"]


# --- the data file, changed by another process


def test_a_token_file_another_process_truncates_ends_the_run_with_a_reason(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens.bin"
    (np.arange(100_000) % 61).astype("<u2").tofile(tokens)
    with open("/proc/meminfo", encoding="ascii") as file:
        free = next(int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable"))
    os.truncate(tokens, free // 4)  # holes: too large to be read into memory, and no room on the disk
    settings = {
        "data": "tokens.bin", "token_dtype": "uint16", "vocab": 61, "out": "out", "device": "cpu",
        "layers": 1, "d_model": 16, "heads": 2, "seq": 16, "steps": 1_000_000, "warmup": 1, "log_every": 5,
        "schedule": "constant", "eval_tokens": 500, "eval_every": 1_000_000, "save_every": 1_000_000,
    }  # fmt: skip
    flags = [word for key, value in settings.items() for word in (f"--{key.replace('_', '-')}", str(value))]
    process = subprocess.Popen(
        [sys.executable, "-m", "typedtorch", "train", *flags],
        cwd=tmp_path, env={**os.environ, "OMP_NUM_THREADS": "1"}, text=True, stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    wait_for(tmp_path / "out" / "metrics.jsonl")
    os.truncate(tokens, 1000)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 2  # an error in one line, not a SIGBUS
    assert "tokens.bin" in said
    assert "the file was truncated while open" in said
    assert said.count("\n") == 1


# --- gradients and memory


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_poisoned_gradient_is_named_and_not_applied(value: float) -> None:
    trainer = make_trainer(steps=6)
    calls = [0]

    def poison(grad: Tensor) -> Tensor:
        calls[0] += 1
        if calls[0] == 3:
            grad = grad.clone()
            grad[2, 1] = value
        return grad

    before: list[list[Tensor]] = []
    dict(trainer.model.named_parameters())["out.weight"].register_hook(poison)
    trainer.model.register_forward_pre_hook(lambda *_: before.append(weights(trainer)))
    what = "nan" if value != value else "inf"  # noqa: PLR0124 - what is not itself is NaN
    with pytest.raises(NonFiniteError, match=rf"step 3: .*the gradient of out.weight has {what}"):
        trainer.fit()
    assert all(torch.equal(a, b) for a, b in zip(weights(trainer), before[2], strict=True))


def greedy(model: nn.Module, batch: Any, /) -> LossSum:
    """Asks the real allocator for more than any machine has, unless the batch is small."""
    if len(batch.inputs) > 1:
        torch.empty(1 << 52, dtype=torch.uint8)
    return token_loss(model, batch)


def test_the_cpus_allocator_giving_up_is_out_of_memory_too() -> None:
    with pytest.raises(OutOfMemory, match=r"step 1: a micro-batch of 24 items does not fit: .*Allocator"):
        make_trainer(loss=greedy).fit()
    halved = make_trainer(loss=greedy, steps=3, halve_on_oom=True)
    assert halved.fit().step == 3
    assert halved.accumulate == 4


def test_another_error_of_the_runtime_stays_what_it_is() -> None:
    def loss(model: nn.Module, batch: Any, /) -> LossSum:
        raise RuntimeError("something else")

    with pytest.raises(RuntimeError, match=r"^something else$"):
        make_trainer(loss=loss).fit()
