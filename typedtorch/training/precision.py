"""Which dtype the forward pass computes in; parameters and optimizer stay in float32."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Literal, cast

import torch
from torch import nn

from typedtorch.training.errors import ConfigError
from typedtorch.training.fp8 import require_fp8, use_fp8

PrecisionName = Literal["fp32", "bf16", "fp16", "fp8"]
PrecisionAlias = Literal["float32", "float", "bfloat16", "float16", "half"]
PrecisionLike = PrecisionName | PrecisionAlias | torch.dtype
"""A precision as torch names it, too."""

_ALIASES = {"float32": "fp32", "float": "fp32", "bfloat16": "bf16", "float16": "fp16", "half": "fp16"}
_AUTOCAST = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp8": torch.bfloat16}


def plain_name(value: object) -> object:
    """Our name of a precision that is given as torch names it; anything else as it is.

    >>> plain_name("bfloat16"), plain_name(torch.float16), plain_name("FP32"), plain_name(3)
    ('bf16', 'fp16', 'fp32', 3)
    """
    text = str(value).removeprefix("torch.").lower() if isinstance(value, str | torch.dtype) else value
    known = isinstance(text, str) and text in {*_ALIASES, *_ALIASES.values(), "fp8", "auto"}
    return _ALIASES.get(str(text), text) if known else value


@dataclass(frozen=True)
class Precision:
    """``fp32``; ``bf16`` (autocast, nothing to scale); ``fp16`` (autocast and a loss scaler); ``fp8``
    (bf16, and the linear layers of the blocks in eight bits, see :mod:`typedtorch.training.fp8`).

    >>> Precision("bf16").compute_dtype
    torch.bfloat16

    Raises:
        ConfigError: an unknown name.
    """

    name: PrecisionName = "fp32"

    @classmethod
    def of(cls, value: PrecisionLike) -> Precision:
        """The precision of a name, ours or torch's.

        Raises:
            ConfigError: an unknown name.
        """
        return cls(cast(PrecisionName, plain_name(value)))

    def __post_init__(self) -> None:
        if self.name not in ("fp32", *_AUTOCAST):
            raise ConfigError(f"precision: expected fp32, bf16, fp16 or fp8, got {self.name!r}")

    @property
    def compute_dtype(self) -> torch.dtype:
        """The dtype of matrix products; with fp8 that of those outside the blocks."""
        return _AUTOCAST.get(self.name, torch.float32)

    def check(self, device: torch.device) -> None:
        """Refuse now what ``device`` cannot compute.

        Raises:
            ConfigError: fp8 without kernels for it.
        """
        if self.name == "fp8":
            require_fp8(device)

    def prepare(self, model: nn.Module, device: torch.device) -> None:
        """Make the model's layers compute in this precision, beyond what autocast does.

        Raises:
            ConfigError: the device cannot, or the model has no layer that could.
        """
        self.check(device)
        if self.name == "fp8":
            use_fp8(model)

    def autocast(self, device: torch.device) -> contextlib.AbstractContextManager[None]:
        """The context the forward pass runs in."""
        if self.name == "fp32":
            return contextlib.nullcontext()
        return torch.autocast(device.type, dtype=self.compute_dtype)

    def scaler(self, device: torch.device) -> torch.amp.GradScaler | None:
        """A loss scaler where small gradients would vanish."""
        return torch.amp.GradScaler(device.type) if self.name == "fp16" else None
