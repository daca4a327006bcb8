"""How a run of several processes ends: by itself, by a signal, with a full disk; for all of them at once."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import pytest

from typedtorch.training import load_checkpoint

from .processes import TORCHRUN, checkpoint, command, run, start, text_in, wait_for, workers

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return text_in(tmp_path_factory.mktemp("distributed"))


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


FEW = """
import sys, torch
from torch import nn
from typedtorch.training import CheckpointStore, LoopSettings, Trainer, join

parallel, device = join(sys.argv[1], torch.device("cpu"))
with parallel:
    count = [7, 9][parallel.rank]
    model = parallel.wrap(nn.Linear(4, 4))
    batches = iter([torch.randn(2, 4) for _ in range(count)])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    settings = LoopSettings(steps=20, accumulate=2, log_every=10, handle_signals=False)
    store = CheckpointStore("few/" + sys.argv[1]) if parallel.rank == 0 else None
    trainer = Trainer(
        model, lambda model, batch: (model(batch) ** 2).mean(), batches, optimizer, settings,
        store=store, parallel=parallel,
    )
    result = trainer.fit()
    sys.stdout.write(f"{result.step} {result.stopped}\\n")
"""


@pytest.mark.parametrize("kind", ["ddp", "fsdp"])
def test_where_one_process_has_no_batch_left_all_end(place: Path, kind: str) -> None:
    (place / "few.py").write_text(FEW)
    process = start(place, [*TORCHRUN, "2", "few.py", kind])
    out, said = process.communicate(timeout=120)
    assert process.returncode == 0, said
    assert sorted(out.split("\n")) == ["", "3 the batches ended", "3 the batches ended"]
    assert [p.name for p in (place / "few" / kind).iterdir()] == ["step-00000003"]


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


def test_a_signal_to_the_launcher_ends_all_with_a_checkpoint_long_before_they_log(place: Path) -> None:
    often = {"log_every": 100_000, "eval_every": 100_000, "save_every": 5}
    process = start(place, command(place, "ended", 2, parallel="ddp", steps=100_000, **often))
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
