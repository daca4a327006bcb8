"""The default job on a GPU; skipped where there is none."""

from __future__ import annotations

import io
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from typedtorch.data import Batch, EpochStarts, MemoryTokens, Prefetcher, TokenBatches
from typedtorch.training import (
    CheckpointStore,
    ConfigError,
    Console,
    LoopSettings,
    LossSum,
    NonFiniteError,
    Trainer,
    train,
)
from typedtorch.training.fp8 import FORWARD, fp8_linear, quantise
from typedtorch.training.loggers import read_records
from typedtorch.training.picture import step_parts
from typedtorch.training.seed import seed_everything

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"),
]

SMALL: dict[str, Any] = {
    "device": "cuda", "layers": 2, "d_model": 128, "heads": 2, "seq": 128, "batch": 16, "steps": 40,
    "eval_every": 20, "save_every": 20, "eval_tokens": 20_000, "sample": 40,
}  # fmt: skip


@pytest.fixture(autouse=True)
def own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text(
        "".join(f"line {i % 17} of the text, and {i % 5} more\n" for i in range(20_000))
    )


def run(out: str, **changes: Any) -> Any:
    return train(console=Console(io.StringIO()), **{**SMALL, "data": "text.txt", "out": out, **changes})


def test_the_default_job_learns_under_compile_and_bf16() -> None:
    result = run("out")
    assert result.val_loss is not None
    assert result.val_loss < result.summary["unigram_nats"] - 0.5
    assert result.summary["peak_memory"] > 0
    assert (result.folder / "loss.png").is_file()


def test_a_run_resumes() -> None:
    run("out", steps=20, warmup=2, schedule="constant")
    resumed = run("out", steps=40, resume="auto")
    assert resumed.step == 40


def test_a_deterministic_run_resumes_bit_for_bit() -> None:
    whole = run("whole", compile=False, deterministic=True, dropout=0.1, schedule="constant", warmup=1)
    run("parts", compile=False, deterministic=True, dropout=0.1, schedule="constant", warmup=1, steps=20)
    parts = run("parts", resume="auto", steps=40)
    torch.use_deterministic_algorithms(False)
    for a, b in zip(parts.model.parameters(), whole.model.parameters(), strict=True):
        assert torch.equal(a, b)


def test_a_gpu_checkpoint_continues_on_a_cpu() -> None:
    run("out", steps=20, warmup=2, schedule="constant")
    resumed = run("out", steps=22, resume="auto", device="cpu")
    assert resumed.step == 22


def test_reading_ahead_through_pinned_slots_changes_nothing() -> None:
    tokens = MemoryTokens((torch.arange(100_000) % 251).to(torch.uint8).numpy(), vocab=251)

    def stream() -> TokenBatches:
        return TokenBatches(tokens, EpochStarts(len(tokens), 512, 0), batch=32, seq=512, device="cuda")

    plain, ahead = stream(), Prefetcher(stream(), depth=2)
    for _ in range(50):
        a, b = next(plain), next(ahead)
        torch.cuda._sleep(1_000_000)  # keep the device behind, so that an early refill would show
        assert torch.equal(a.inputs, b.inputs)
        assert torch.equal(a.targets, b.targets)
    ahead.close()


def make(loss: Any, steps: int, **settings: Any) -> Trainer:
    seed_everything(0)
    model = nn.Sequential(nn.Embedding(61, 16), nn.Linear(16, 61)).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, fused=True)
    inputs = torch.randint(61, (4, 9), device="cuda")
    batches = [Batch(inputs[:, :-1], inputs[:, 1:])]
    return Trainer(
        model, loss, batches, optimizer, LoopSettings(steps=steps, log_every=2, clip=1.0, **settings)
    )


def token_loss(model: nn.Module, batch: Any) -> LossSum:
    logits = model(batch.inputs)
    total = nn.functional.cross_entropy(logits.flatten(0, 1), batch.targets.flatten(), reduction="sum")
    return LossSum(total, batch.targets.numel())


def test_a_bad_step_is_left_out_on_the_device() -> None:
    calls = [0]

    def loss(model: nn.Module, batch: Any) -> LossSum:
        total, items = token_loss(model, batch)
        calls[0] += 1
        return LossSum(total * math.nan if calls[0] == 3 else total, items)

    trainer = make(loss, 10, nonfinite="skip")
    trainer.fit()
    assert trainer.skipped == 1
    assert all(bool(p.isfinite().all()) for p in trainer.model.parameters())
    calls[0] = 0
    raising = make(loss, 10)
    with pytest.raises(NonFiniteError, match="step 3"):
        raising.fit()


def test_steps_do_not_wait_for_the_device() -> None:
    trainer = make(token_loss, 6)
    trainer.fit()  # lazy initialisation is over
    torch.cuda.set_sync_debug_mode("error")
    try:
        trainer._one_step()
    finally:
        torch.cuda.set_sync_debug_mode("default")


@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_half_precision_learns(precision: str, tmp_path: Path) -> None:
    trainer = make(token_loss, 60, precision=precision)
    trainer.store = CheckpointStore(tmp_path / "checkpoints")
    losses = trainer.fit().losses
    assert losses[-1] < losses[0] - 0.5


def test_training_on_a_gpu_imports_no_beartype() -> None:
    settings = {**SMALL, "data": "text.txt", "out": "out", "steps": 2}
    code = f"import sys, typedtorch; typedtorch.train(**{settings!r}); assert 'beartype' not in sys.modules"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_products_in_eight_bits_learn_where_they_exist() -> None:
    if torch.cuda.get_device_capability() < (8, 9):
        with pytest.raises(ConfigError, match=r"expected a GPU of compute capability 8\.9 or more"):
            run("old", precision="fp8")
        return
    for compiled in (False, True):
        eight = run(f"eight-{compiled}", precision="fp8", compile=compiled)
        half = run(f"half-{compiled}", precision="bf16", compile=compiled)
        assert eight.val_loss == pytest.approx(half.val_loss, rel=0.1)


def test_eight_bit_products_are_those_of_the_rounded_operands() -> None:
    if torch.cuda.get_device_capability() < (8, 9):
        pytest.skip("needs compute capability 8.9")
    x = torch.randn(64, 48, device="cuda", requires_grad=True)
    weight = torch.randn(32, 48, device="cuda", requires_grad=True)
    found = fp8_linear(x, weight)
    found.sum().backward()
    (rows, a), (columns, b) = quantise(x, FORWARD), quantise(weight, FORWARD)
    exact = (rows.double() * a) @ (columns.double() * b).T
    torch.testing.assert_close(found.double(), exact, rtol=1e-2, atol=1e-2)
    assert x.grad is not None
    torch.testing.assert_close(x.grad, weight.sum(0).expand(64, -1), rtol=0.1, atol=0.5)


def test_the_report_says_where_the_time_of_a_step_goes() -> None:
    result = run("out", steps=20, log_every=5, compile=False)
    timed = step_parts(read_records(result.folder / "metrics.jsonl"))
    assert [step for step, _ in timed] == [5, 10, 15, 20]
    for _, parts in timed:
        assert parts["forward and backward"] > 0  # from events, read when their stretch had arrived
        assert parts["update"] > 0
    assert "forward and backward" in (result.folder / "report.html").read_text(encoding="utf-8")


def test_memory_predicted_is_near_the_allocators_peak() -> None:
    summary = run("out", steps=5, compile=False, d_model=512, layers=4, seq=512).summary
    assert summary["peak_memory_is"] == "allocator's peak"
    assert summary["peak_memory"] == pytest.approx(summary["predicted"]["peak_memory"], rel=0.15)


@pytest.mark.parametrize("kind", ["ddp", "fsdp", "zero1"])
def test_one_process_under_torchrun_saves_what_continues_without(kind: str) -> None:
    flags = {k: v for k, v in SMALL.items() if k not in ("steps", "sample")} | {
        "data": "text.txt",
        "out": kind,
    }
    words = [word for name, value in flags.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "1"]
    steady = ["--steps", "20", "--schedule", "constant", "--warmup", "1", "--sample", "0", "--no-compile"]
    command = [*launcher, "-m", "typedtorch", "train", *words, *steady, "--parallel", kind]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    assert run(kind, steps=24, resume="auto", parallel="none").step == 24


def test_a_profile_holds_the_kernels_and_a_picture_of_the_memory() -> None:
    folder = run("out", steps=10, profile=True, compile=False, sample=0).folder
    assert (folder / "profile" / "trace.json").stat().st_size > 10_000
    assert (folder / "profile" / "memory.pickle").stat().st_size > 1_000
