"""CPU time per step of the trainer over a plain torch loop doing the same work, on a tiny model.

    python benchmarks/trainer_overhead.py [--steps N]

Both loops draw the same batches, compute the same loss, clip by global norm, set the learning rate and step
AdamW. Lightning (its Fabric, and its Trainer with logging, progress bar and checkpoints switched off) and
accelerate are measured beside them where they are installed. One thread; CPU time, the smallest of several
rounds, for what else runs on the machine only ever adds.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import logging
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch
from report import write_result
from torch import Tensor, nn

from typedtorch.training import LoopSettings, Trainer

SIZES = (32, 64, 64, 10)


def make_model() -> nn.Module:
    """Three linear layers."""
    torch.manual_seed(0)
    layers: list[nn.Module] = []
    for a, b in itertools.pairwise(SIZES):
        layers += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


BATCHES = [(torch.randn(16, SIZES[0]), torch.randint(SIZES[-1], (16,))) for _ in range(8)]


def endless() -> Iterator[tuple[Tensor, Tensor]]:
    """The batches, for ever."""
    while True:
        yield from BATCHES


def schedule(step: int) -> float:
    """Some learning rate."""
    return 1e-3 / (1 + step * 1e-4)


def adamw(model: nn.Module) -> torch.optim.Optimizer:
    """The same optimizer in each loop."""
    return torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)


def raw(steps: int) -> float:
    """The loop one would write by hand."""
    model = make_model()
    optimizer, batches = adamw(model), endless()
    losses = []
    began = time.process_time()
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = schedule(step)
        x, y = next(batches)
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()  # type: ignore[no-untyped-call]  # torch's
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        losses.append((loss.item(), norm.item()))
    return time.process_time() - began


def ours(steps: int) -> float:
    """The trainer: the same, with non-finite steps refused, figures, signals, and a state to resume from."""

    def loss(model: nn.Module, batch: Any) -> Tensor:
        return nn.functional.cross_entropy(model(batch[0]), batch[1])

    model = make_model()
    settings = LoopSettings(steps=steps, clip=1.0, log_every=50)
    trainer = Trainer(model, loss, endless(), adamw(model), settings, schedule=schedule)
    began = time.process_time()
    trainer.fit()
    return time.process_time() - began


def fabric(steps: int) -> float:
    """Lightning Fabric's way to write the loop."""
    Fabric = importlib.import_module("lightning.fabric").Fabric

    runner = Fabric(accelerator="cpu", devices=1)
    plain = make_model()
    model, optimizer = runner.setup(plain, adamw(plain))
    batches = endless()
    began = time.process_time()
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = schedule(step)
        x, y = next(batches)
        loss = nn.functional.cross_entropy(model(x), y)
        runner.backward(loss)
        norm = runner.clip_gradients(model, optimizer, max_norm=1.0)
        optimizer.step()
        optimizer.zero_grad()
        loss.item(), norm.item()
    return time.process_time() - began


def lightning(steps: int) -> float:
    """Lightning's Trainer, as bare as it gets."""
    L = importlib.import_module("lightning")

    class Lit(L.LightningModule):  # type: ignore[name-defined,misc]  # known at run time only
        def __init__(self) -> None:
            super().__init__()
            self.inner = make_model()

        def training_step(self, batch: Any, index: int) -> Tensor:
            return nn.functional.cross_entropy(self.inner(batch[0]), batch[1])

        def configure_optimizers(self) -> Any:
            optimizer = adamw(self.inner)
            rate = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: schedule(step) / 1e-3)
            return {"optimizer": optimizer, "lr_scheduler": {"scheduler": rate, "interval": "step"}}

    class Stream(torch.utils.data.IterableDataset):  # type: ignore[type-arg]  # any batch
        def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
            return endless()

    class Clock(L.Callback):  # type: ignore[name-defined,misc]  # known at run time only
        began = ended = 0.0

        def on_train_start(self, trainer: Any, module: Any) -> None:
            self.began = time.process_time()

        def on_train_end(self, trainer: Any, module: Any) -> None:
            self.ended = time.process_time()

    clock = Clock()
    trainer = L.Trainer(
        max_steps=steps, gradient_clip_val=1.0, accelerator="cpu", devices=1, callbacks=[clock], logger=False,
        enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
    )  # fmt: skip
    trainer.fit(Lit(), torch.utils.data.DataLoader(Stream(), batch_size=None))
    return clock.ended - clock.began


def accelerate(steps: int) -> float:
    """accelerate's way to write the loop."""
    Accelerator = importlib.import_module("accelerate").Accelerator

    runner = Accelerator(cpu=True)
    plain = make_model()
    model, optimizer = runner.prepare(plain, adamw(plain))
    batches = endless()
    began = time.process_time()
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = schedule(step)
        x, y = next(batches)
        loss = nn.functional.cross_entropy(model(x), y)
        runner.backward(loss)
        norm = runner.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        loss.item(), norm.item()
    return time.process_time() - began


def main() -> None:
    """Measure and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    torch.set_num_threads(1)
    loops: dict[str, Callable[[int], float]] = {"raw loop": raw, "typedtorch": ours}
    if importlib.util.find_spec("lightning"):
        logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
        warnings.filterwarnings("ignore", module="lightning")
        loops |= {"Lightning Fabric": fabric, "Lightning Trainer": lightning}
    if importlib.util.find_spec("accelerate"):
        loops["accelerate"] = accelerate
    best = dict.fromkeys(loops, float("inf"))
    for _ in range(options.rounds):
        for name, loop in loops.items():
            best[name] = min(best[name], loop(options.steps) / options.steps * 1e6)
    rows = [
        {"loop": name, "us_per_step": round(us, 1), "over_raw_us": round(us - best["raw loop"], 1)}
        for name, us in best.items()
    ]
    write_result("trainer_overhead", {"steps": options.steps, "rounds": options.rounds}, rows)


if __name__ == "__main__":
    main()
