"""Which dtype the forward pass computes in; parameters and optimizer stay in float32."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Literal

import torch

from typedtorch.training.errors import ConfigError

PrecisionName = Literal["fp32", "bf16", "fp16"]
_AUTOCAST = {"bf16": torch.bfloat16, "fp16": torch.float16}


@dataclass(frozen=True)
class Precision:
    """``fp32``; ``bf16`` (autocast, nothing to scale); ``fp16`` (autocast and a loss scaler).

    >>> Precision("bf16").compute_dtype
    torch.bfloat16

    Raises:
        ConfigError: an unknown name.
    """

    name: PrecisionName = "fp32"

    def __post_init__(self) -> None:
        if self.name not in ("fp32", *_AUTOCAST):
            raise ConfigError(f"precision: expected fp32, bf16 or fp16, got {self.name!r}")

    @property
    def compute_dtype(self) -> torch.dtype:
        """The dtype of matrix products."""
        return _AUTOCAST.get(self.name, torch.float32)

    def autocast(self, device: torch.device) -> contextlib.AbstractContextManager[None]:
        """The context the forward pass runs in."""
        if self.name == "fp32":
            return contextlib.nullcontext()
        return torch.autocast(device.type, dtype=self.compute_dtype)

    def scaler(self, device: torch.device) -> torch.amp.GradScaler | None:
        """A loss scaler where small gradients would vanish."""
        return torch.amp.GradScaler(device.type) if self.name == "fp16" else None
