"""A learning-rate range test: raise the rate each step and see where the loss falls fastest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from typedtorch.nn.modes import begin_training, modes_kept
from typedtorch.training.errors import ConfigError, NonFiniteError, told
from typedtorch.training.sources import Replayed
from typedtorch.training.step import BatchesEnded
from typedtorch.training.trainer import Trainer


@dataclass(frozen=True)
class RateTest:
    """The learning rates that were tried, the smoothed loss at each, and the rate suggested for training."""

    rates: tuple[float, ...]
    losses: tuple[float, ...]
    suggestion: float


def find_learning_rate(
    trainer: Trainer, *, low: float = 1e-6, high: float = 1.0, steps: int = 100
) -> RateTest:
    """Try rates from ``low`` to ``high`` in ``steps`` equal factors (Smith, arXiv:1506.01186).

    The test ends early when the loss reaches four times its minimum. The suggestion is the rate at which the
    smoothed loss falls fastest over the logarithm of the rate. Afterwards the trainer is as it was before,
    generators and data position included.

    >>> from torch import nn; import torch
    >>> model = nn.Linear(4, 1)
    >>> x = torch.randn(64, 4); data = [(x, x.sum(1, keepdim=True))]
    >>> def loss(model, batch): return nn.functional.mse_loss(model(batch[0]), batch[1])
    >>> from typedtorch.training import LoopSettings
    >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    >>> trainer = Trainer(model, loss, data, optimizer, LoopSettings(steps=1))
    >>> 1e-4 < find_learning_rate(trainer).suggestion < 1.0
    True

    Raises:
        ConfigError: not ``0 < low < high``, fewer than 10 steps, or batches that cannot be drawn again.
    """
    if not 0 < low < high or steps < 10:
        raise ConfigError(
            f"learning-rate test: expected 0 < low < high and at least 10 steps, got {low}, {high}, {steps}"
        )
    if isinstance(trainer.source, Replayed) and not trainer.source.endless:
        kind = told(trainer.source.iterable)
        raise ConfigError(f"learning-rate test: expected batches that can be drawn again, got {kind}")
    before = trainer.detached_state()
    factor = (high / low) ** (1 / (steps - 1))
    rates: list[float] = []
    losses: list[float] = []
    try:
        with modes_kept(trainer.model):
            begin_training(trainer.model)
            for i in range(steps):
                rates.append(low * factor**i)
                loss = trainer.step_once(rates[-1])
                if not math.isfinite(loss) or (losses and loss > 4 * min(losses)):
                    rates.pop()
                    break
                losses.append(0.7 * losses[-1] + 0.3 * loss if losses else loss)
    except (NonFiniteError, BatchesEnded):
        rates.pop()
    finally:
        trainer.snapshot.restore(before, "<state>")
    return RateTest(tuple(rates), tuple(losses), _steepest(rates, losses))


def _steepest(rates: Sequence[float], losses: Sequence[float]) -> float:
    """The rate where the loss falls most over five steps; the lowest where it never falls."""
    span = 5
    falls = [losses[i] - losses[i + span] for i in range(len(losses) - span)]
    if not falls or max(falls) <= 0:
        return rates[0]
    return rates[falls.index(max(falls)) + span // 2]
