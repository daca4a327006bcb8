"""Small parts the training tests share: a model with dropout, batches, a trainer that repeats itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from typedtorch.data import Batch, EpochStarts, MemoryTokens, TokenBatches
from typedtorch.training import LoopSettings, LossSum, Trainer, seed_everything

TOKENS = MemoryTokens((np.arange(3000) ** 2 % 61).astype(np.uint8), vocab=61)


class Tiny(nn.Module):
    """Embedding, dropout, linear: enough to learn, and to draw from torch's generator."""

    def __init__(self, width: int = 8, p: float = 0.2) -> None:
        super().__init__()
        self.embedding = nn.Embedding(61, width)
        self.dropout = nn.Dropout(p)
        self.out = nn.Linear(width, 61)

    def forward(self, tokens: Tensor) -> Tensor:
        found: Tensor = self.out(self.dropout(self.embedding(tokens)))
        return found


def token_loss(model: nn.Module, batch: Any, /) -> LossSum:
    """Summed cross-entropy and how many targets it sums."""
    logits = model(batch.inputs)
    total = nn.functional.cross_entropy(logits.flatten(0, 1), batch.targets.flatten(), reduction="sum")
    return LossSum(total, batch.targets.numel())


def token_batches(batch: int = 4) -> TokenBatches:
    """A stream over :data:`TOKENS`."""
    return TokenBatches(TOKENS, EpochStarts(len(TOKENS), 6, 5), batch=batch, seq=6)


def make_trainer(
    *,
    seed: int = 0,
    width: int = 8,
    batches: Iterable[Any] | None = None,
    loss: Callable[..., Any] = token_loss,
    optimizer: Callable[[nn.Module], torch.optim.Optimizer] | None = None,
    model: nn.Module | None = None,
    steps: int = 8,
    others: dict[str, Any] | None = None,
    **settings: Any,
) -> Trainer:
    """A trainer that starts in the same state whenever it is called with the same arguments."""
    seed_everything(seed)
    model = model if model is not None else Tiny(width)
    made = optimizer(model) if optimizer else torch.optim.AdamW(model.parameters(), lr=0.05, fused=True)
    return Trainer(
        model,
        loss,
        batches if batches is not None else token_batches(),
        made,
        LoopSettings(steps=steps, **{"log_every": 1, "handle_signals": False, **settings}),
        schedule=lambda step: 0.05 / (1 + step),
        **(others or {}),
    )


def weights(trainer: Trainer) -> list[Tensor]:
    """Copies of every parameter."""
    return [p.detach().clone() for p in trainer.model.parameters()]


def same(a: Iterable[Tensor], b: Iterable[Tensor]) -> bool:
    """Bit for bit."""
    return all(torch.equal(x, y) for x, y in zip(a, b, strict=True))


class Notes:
    """A display that remembers."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.steps: list[int] = []

    def figures(self, figures: Any, /) -> None:
        self.steps.append(figures.step)

    def note(self, text: str, /) -> None:
        self.notes.append(text)


def ragged(batch: Batch, keep: list[int]) -> Batch:
    """A batch whose rows keep only their first targets; the others are ignored."""
    targets = batch.targets.clone()
    for row, n in enumerate(keep):
        targets[row, n:] = -100
    return Batch(batch.inputs, targets)


def ignoring_loss(model: nn.Module, batch: Any, /) -> LossSum:
    """Summed cross-entropy of the targets that count."""
    total = nn.functional.cross_entropy(
        model(batch.inputs).flatten(0, 1), batch.targets.flatten(), reduction="sum", ignore_index=-100
    )
    return LossSum(total, (batch.targets != -100).sum())
