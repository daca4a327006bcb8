"""The settings of a :class:`~typedtorch.training.Trainer`, as one frozen value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from typedtorch.training.errors import ConfigError
from typedtorch.training.precision import Precision, PrecisionLike

NonFinitePolicy = Literal["raise", "skip", "rollback"]


@dataclass(frozen=True, kw_only=True)
class LoopSettings:
    """How long a :class:`~typedtorch.training.Trainer` runs, how often it reports, and how it meets faults.

    Raises:
        ConfigError: a setting out of range.
    """

    steps: int
    """Optimizer steps in all, those before a resume included."""
    accumulate: int = 1
    """Micro-batches per step."""
    clip: float = math.inf
    """Largest global norm of the gradients."""
    precision: PrecisionLike = "fp32"
    """Of matrix products: ``fp32``, ``bf16``, ``fp16`` (with a gradient scaler), ``fp8``; or torch's."""
    ema: float = 0.0
    """Decay of the average of the weights; 0 keeps none."""
    log_every: int = 10
    """Steps between records for the loggers."""
    eval_every: int = 0
    """Steps between evaluations; 0 evaluates at the end only."""
    save_every: int = 0
    """Steps between checkpoints; 0 saves at the end only."""
    sanity: int = 0
    """Batches of evaluation tried before the first step, their figures thrown away; 0 tries none."""
    overfit: int = 0
    """Train on this many micro-batches over and over; 0 trains on all."""
    background_save: bool = False
    """Write checkpoints in a thread while training goes on."""
    nonfinite: NonFinitePolicy = "raise"
    """What follows a NaN or infinite loss or gradient: an error, the next step, or a return to the last
    checkpoint.  The step itself is never applied; nor is one in which no item counts, which is no fault."""
    patience: int = 10
    """How many steps in a row may be skipped, or rollbacks done in all, before it is an error."""
    spike: float = 0.0
    """Report a stretch whose loss is this many standard deviations above the recent ones; 0 reports none."""
    halve_on_oom: bool = False
    """Out of memory: halve the micro-batch, double ``accumulate``, and take the step again."""
    handle_signals: bool = True
    """Save and stop on SIGTERM, SIGINT and SIGHUP, and save on SIGUSR1."""

    def __post_init__(self) -> None:
        for name in (
            "steps",
            "accumulate",
            "log_every",
            "patience",
            "eval_every",
            "save_every",
            "sanity",
            "overfit",
        ):
            if not isinstance(getattr(self, name), int) or isinstance(getattr(self, name), bool):
                raise ConfigError(f"{name}: expected a whole number, got {getattr(self, name)!r}")
        for name in ("background_save", "halve_on_oom", "handle_signals"):
            if not isinstance(getattr(self, name), bool):
                raise ConfigError(f"{name}: expected True or False, got {getattr(self, name)!r}")
        for name in ("clip", "ema", "spike"):
            if not isinstance(getattr(self, name), int | float) or isinstance(getattr(self, name), bool):
                raise ConfigError(f"{name}: expected a number, got {getattr(self, name)!r}")
        object.__setattr__(self, "precision", Precision.of(self.precision).name)  # one name for each
        for name in ("steps", "accumulate", "log_every", "patience"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name}: expected at least 1, got {getattr(self, name)}")
        for name in ("eval_every", "save_every", "sanity", "overfit", "spike"):
            if not getattr(self, name) >= 0:
                raise ConfigError(f"{name}: expected at least 0, got {getattr(self, name)}")
        if not self.clip > 0:
            raise ConfigError(f"clip: expected a number above 0, got {self.clip}")
        if not 0 <= self.ema < 1:
            raise ConfigError(f"ema: expected a decay from 0 to 1, got {self.ema}")
        if self.nonfinite not in ("raise", "skip", "rollback"):
            raise ConfigError(f"nonfinite: expected raise, skip or rollback, got {self.nonfinite!r}")
