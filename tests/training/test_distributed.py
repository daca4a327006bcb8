"""Processes under ``torchrun`` and gloo: the losses of one, checkpoints for any number."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist

from typedtorch import optim
from typedtorch.training import ConfigError, consolidate, join, load_checkpoint
from typedtorch.training.distributed import ZeroOne

from .processes import TORCHRUN, checkpoint, close, run, same_state, start, text_in

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return text_in(tmp_path_factory.mktemp("distributed"))


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


@pytest.mark.parametrize("kind", [torch.optim.AdamW, optim.AdamW, optim.SGD])
def test_zero_keeps_what_was_added_to_a_group(tmp_path: Path, kind: Any) -> None:
    model = torch.nn.Linear(2, 2)
    slow: dict[str, object] = {"params": [model.weight], "lr_scale": 0.1, "param_names": ["weight"]}
    groups: Any = [slow, {"params": [model.bias], "param_names": ["bias"]}]
    dist.init_process_group("gloo", init_method=f"file://{tmp_path}/store", rank=0, world_size=1)
    try:
        made = ZeroOne(torch.device("cpu")).optimizer(kind(groups, lr=0.5))
        model(torch.ones(1, 2)).sum().backward()
        made.step()
    finally:
        dist.destroy_process_group()
    assert [group.get("lr_scale") for group in made.param_groups] == [0.1, None]


JOINS = """
import sys, torch
import torch.distributed as dist
from typedtorch.training import LoopSettings, LossSum, Trainer, join

joined = []

def hook(state, bucket):
    joined.append(1)
    mean = bucket.buffer().div_(dist.get_world_size())
    return dist.all_reduce(mean, async_op=True).get_future().then(lambda found: found.value()[0])

def loss(model, batch):
    return LossSum(((model(batch) - batch) ** 2).sum() / 100, batch.numel() / 100)

parallel, device = join("auto", torch.device("cpu"))
with parallel:
    torch.manual_seed(0)
    model = parallel.wrap(torch.nn.Linear(4, 4))
    if parallel.world > 1:
        model.register_comm_hook(None, hook)
    batches = [torch.randn(8, 4)[parallel.rank :: parallel.world] for _ in range(12)]
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    settings = LoopSettings(steps=3, accumulate=4)
    trainer = Trainer(model, loss, batches, optimizer, settings, parallel=parallel)
    losses = trainer.fit().losses
    if parallel.rank == 0:
        print(len(joined), *losses)
"""


def test_gradients_are_joined_once_for_the_micro_batches_of_a_step(place: Path) -> None:
    (place / "joins.py").write_text(JOINS)
    figures = []
    for launcher in ([sys.executable], [*TORCHRUN, "2"]):
        process = start(place, [*launcher, "joins.py"])
        said, complaints = process.communicate(timeout=180)
        assert process.returncode == 0, complaints[-3000:]
        figures.append([float(word) for word in said.split()])
    (_, *alone), (joined, *together) = figures
    assert joined == 3
    assert together == pytest.approx(alone, rel=1e-5)


TWICE = """
import torch, typedtorch
pairs = [(torch.randn(4, 4), torch.randint(2, (4,)))]
for steps in (3, 5):
    typedtorch.train(
        model=torch.nn.Linear(4, 2), batches=pairs, optimizer=torch.optim.SGD, lr=0.1, steps=steps,
        out="twice", resume="auto", parallel="ddp", device="cpu", plot=False,
    )
"""


@pytest.mark.slow
def test_one_program_may_train_twice(tmp_path: Path) -> None:
    """The store of torchrun keeps the addresses of the first group: the second is not to find them."""
    (tmp_path / "twice.py").write_text(TWICE)
    process = start(tmp_path, [*TORCHRUN, "2", "twice.py"])
    said = process.communicate(timeout=120)
    assert process.returncode == 0, said[1][:8000] + "\n...\n" + said[1][-3000:]
    assert json.loads((tmp_path / "twice" / "summary.json").read_text())["step"] == 5


def test_half_of_an_environment_is_an_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "0")
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.delenv("MASTER_ADDR", raising=False)
    with pytest.raises(ConfigError, match=r"parallel auto: expected the environment of torchrun, .*MASTER_"):
        join("auto", torch.device("cpu"))
