"""A trainer with mixed precision, accumulation, clipping, schedules, checkpoints and callbacks."""

from __future__ import annotations

import contextlib
import copy
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import torch
import torch.nn as nn
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor
from torch.optim.lr_scheduler import LambdaLR


@runtime_checkable
class Callback(Protocol):
    def on_step(self, trainer: Trainer, loss: float) -> None: ...


@dataclass
class TrainState:
    step: int = 0
    tokens: int = 0
    best: float = math.inf
    history: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class TrainConfig:
    lr: float = 1e-3
    warmup: int = 3
    total: int = 20
    accumulate: int = 2
    clip: float = 1.0
    dtype: torch.dtype = torch.bfloat16
    ema: float | None = 0.99


def cosine_with_warmup(config: TrainConfig) -> Callable[[int], float]:
    def factor(step: int) -> float:
        if step < config.warmup:
            return (step + 1) / config.warmup
        progress = (step - config.warmup) / max(1, config.total - config.warmup)
        return 0.5 * (1 + math.cos(math.pi * min(progress, 1.0)))

    return factor


def param_groups(model: nn.Module, decay: float) -> list[dict[str, Any]]:
    matrices = [p for p in model.parameters() if p.dim() >= 2]
    others = [p for p in model.parameters() if p.dim() < 2]
    return [{"params": matrices, "weight_decay": decay}, {"params": others, "weight_decay": 0.0}]


class Trainer:
    def __init__(self, model: nn.Module, config: TrainConfig, callbacks: Iterable[Callback] = ()) -> None:
        self.model, self.config, self.state = model, config, TrainState()
        self.optimizer = torch.optim.AdamW(param_groups(model, 0.1), lr=config.lr, betas=(0.9, 0.95))
        self.scheduler = LambdaLR(self.optimizer, cosine_with_warmup(config))
        self.scaler = torch.amp.GradScaler("cpu", enabled=config.dtype is torch.float16)
        self.callbacks = list(callbacks)
        self.ema = copy.deepcopy(model) if config.ema is not None else None

    def autocast(self) -> contextlib.AbstractContextManager[Any]:
        if self.config.dtype is torch.float32:
            return contextlib.nullcontext()
        return torch.autocast("cpu", dtype=self.config.dtype)

    def compute_loss(self, tokens: Int[Tensor, "batch seq"]) -> Float[Tensor, ""]:
        with self.autocast():
            logits = self.model(tokens[:, :-1])
            loss = F.cross_entropy(logits.flatten(0, 1).float(), tokens[:, 1:].flatten())
        return loss

    def step(self, batches: list[Int[Tensor, "batch seq"]]) -> float:
        self.optimizer.zero_grad(set_to_none=True)
        total = 0.0
        for tokens in batches:
            loss = self.compute_loss(tokens) / len(batches)
            self.scaler.scale(loss).backward()
            total += loss.item()
            self.state.tokens += tokens.numel()
        self.scaler.unscale_(self.optimizer)
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), self.config.clip)
        if torch.isfinite(norm):
            self.scaler.step(self.optimizer)
        self.scaler.update()
        self.scheduler.step()
        self._update_ema()
        self.state.step += 1
        self.state.history.append(total)
        for callback in self.callbacks:
            callback.on_step(self, total)
        return total

    @torch.no_grad()
    def _update_ema(self) -> None:
        if self.ema is None or self.config.ema is None:
            return
        for e, p in zip(self.ema.parameters(), self.model.parameters()):
            e.lerp_(p, 1 - self.config.ema)

    @torch.no_grad()
    def evaluate(self, batches: Iterable[Int[Tensor, "batch seq"]]) -> float:
        self.model.eval()
        losses = torch.stack([self.compute_loss(b) for b in batches])
        self.model.train()
        mean = losses.mean().item()
        self.state.best = min(self.state.best, mean)
        return mean

    def fit(self, stream: Iterable[Int[Tensor, "batch seq"]]) -> TrainState:
        pending: list[Tensor] = []
        for tokens in stream:
            pending.append(tokens)
            if len(pending) == self.config.accumulate:
                self.step(pending)
                pending = []
            if self.state.step >= self.config.total:
                break
        return self.state


class Printer:
    def on_step(self, trainer: Trainer, loss: float) -> None:
        lr = trainer.scheduler.get_last_lr()[0]
        print(f"{trainer.state.step:4d} {loss:.3f} {lr:.1e} {trainer.state.tokens}")


def tiny(vocab: int, dim: int) -> nn.Sequential:
    return nn.Sequential(nn.Embedding(vocab, dim), nn.Linear(dim, dim), nn.GELU(), nn.Linear(dim, vocab))


# run: t = Trainer(tiny(13, 8), TrainConfig(), [])
# run: t.fit(randint(0, 13, (3, 7)) for _ in range(4)); t.evaluate([randint(0, 13, (3, 7))])
