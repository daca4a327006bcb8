"""Validation loss over fixed windows, and the entropy a model without context could reach."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from typedtorch.data import Tokens, get_batch, row_buffer
from typedtorch.training.distributed import Parallel
from typedtorch.training.errors import told
from typedtorch.training.protocols import After
from typedtorch.training.step import AnyLoss, evaluate_loss

_NEVER: Callable[[], bool] = lambda: False  # noqa: E731 - a constant


@dataclass(frozen=True)
class Evaluator:
    """The mean loss over ``windows`` evenly spaced windows of the held-out tokens, the same ones every time.

    Several processes share the windows and join their sums.
    """

    loss: AnyLoss
    tokens: Tokens
    seq: int
    batch: int
    """Windows at a time in one process."""
    windows: int
    """In all; a multiple of ``batch`` times the processes."""
    device: torch.device
    autocast: contextlib.AbstractContextManager[None]
    parallel: Parallel

    def __call__(self, model: nn.Module, stop: Callable[[], bool] = _NEVER, /) -> Mapping[str, float]:
        sums = torch.zeros(2, dtype=torch.float64, device=self.device)
        buffer = row_buffer(self.batch, self.seq, self.tokens.dtype)
        for starts in self._starts():
            # a signal reaches one process, and all have to take part to the end
            if (self.parallel.world == 1 or isinstance(stop, After)) and stop():
                return {}
            batch = get_batch(self.tokens, starts, self.seq, device=self.device, out=buffer)
            with self.autocast:
                total, items = evaluate_loss(self.loss, model, batch)
            sums += torch.stack([total.double(), torch.as_tensor(items, device=self.device).double()])
        total_loss, count = self.parallel.sum(sums).tolist()
        return {"loss": total_loss / max(count, 1.0)}

    def _starts(self) -> list[np.ndarray]:
        possible = (len(self.tokens) - 1) // self.seq
        if possible < self.windows:  # a short text: the windows overlap
            starts = np.linspace(0, len(self.tokens) - self.seq - 1, self.windows).astype(np.int64)
        else:
            starts = np.linspace(0, possible - 1, self.windows).astype(np.int64) * self.seq
        return list(starts.reshape(-1, self.parallel.world, self.batch)[:, self.parallel.rank])


def unigram_entropy(tokens: Tokens, *, limit: int = 1 << 24) -> float:
    """The entropy, in nats, of single tokens: the least loss of a model that knows only their frequencies.

    >>> from typedtorch.data import MemoryTokens
    >>> round(unigram_entropy(MemoryTokens(np.array([0, 1, 0, 1], np.uint8), vocab=2)), 4)
    0.6931
    """
    length, counts = min(len(tokens), 1 << 16), np.zeros(tokens.vocab, np.int64)
    buffer = row_buffer(1, length - 1, tokens.dtype)
    for start in range(0, min(len(tokens), limit) - length + 1, length):
        tokens.read(np.array([start]), buffer)
        counts += np.bincount(buffer.rows[0].astype(np.int64), minlength=tokens.vocab)
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum())


def as_figures(found: object) -> dict[str, float]:
    """What an evaluation gave, as numbers by name.

    >>> as_figures({"loss": np.float32(0.5)})
    {'loss': 0.5}

    Raises:
        TypeError: it is something else.
    """
    if not isinstance(found, Mapping):
        raise TypeError(f"evaluate: expected figures by name, got {told(found)}")
    try:
        return {str(name): float(value) for name, value in found.items()}
    except (TypeError, ValueError, RuntimeError):
        raise TypeError(f"evaluate: expected a number for each figure, got {dict(found)!r:.200}") from None


def in_bits(nats: float) -> float:
    """Nats to bits."""
    return nats / math.log(2)
