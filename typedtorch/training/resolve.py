"""Settle the settings for one machine: what is left open is chosen, what cannot work is refused."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeVar

import torch

from typedtorch.training.config import TrainConfig
from typedtorch.training.errors import ConfigError
from typedtorch.training.fp8 import require_fp8

# where None stands for a choice by device: on a CPU, on a GPU
_BY_DEVICE: dict[str, tuple[Any, Any]] = {
    "layers": (4, 12),
    "d_model": (128, 1024),
    "heads": (4, 8),
    "seq": (256, 1024),
    "prefetch": (0, 4),
    "lr": (2e-3, 6e-4),
    "steps": (1600, 2000),
    "batch": (4, 32),
    "eval_tokens": (100_000, 2_000_000),
    "compile": (False, True),
}


SettledT = TypeVar("SettledT")


def settled(value: SettledT | None) -> SettledT:
    """A setting that :func:`resolve` has settled."""
    if value is None:
        raise ConfigError("a setting that depends on the device was not settled: call resolve first")
    return value


def find_device(name: str) -> torch.device:
    """The device a name means on this machine.

    Raises:
        ConfigError: no such device here.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except (RuntimeError, ValueError):
        raise ConfigError(f"device: expected cpu, cuda, cuda:N, mps or auto, got {name!r}") from None
    present = {"cpu": 1, "cuda": torch.cuda.device_count(), "mps": int(torch.backends.mps.is_available())}
    count = present.get(device.type, 0)
    if (device.index or 0) >= count:
        here = ", ".join(kind for kind, n in present.items() if n)
        raise ConfigError(f"device: {name!r} is not available, only {here} (auto chooses)")
    return device


def resolve(config: TrainConfig, device: torch.device, world: int = 1) -> TrainConfig:
    """Settle every choice that depends on the device, and refuse what cannot work.

    Raises:
        ConfigError: a setting out of range or contradicting another.
    """
    flat = config.flat()
    gpu = device.type != "cpu"
    chosen: dict[str, Any] = {k: v[gpu] for k, v in _BY_DEVICE.items() if flat[k] is None}
    flat |= chosen
    steps = flat["steps"]
    _check(flat)
    if flat["precision"] == "auto":
        chosen["precision"] = "bf16" if _has_bf16(device) else "fp32"
    elif flat["precision"] == "fp8":
        require_fp8(device)
    later = {
        "warmup": min(200, max(1, steps // 10)) if flat["schedule"] != "constant" else 0,
        "log_every": max(1, steps // 50),
        "eval_every": max(1, steps // 4),
        "save_every": max(1, math.ceil(steps / 2)),
        "micro_batch": max(1, flat["batch"] // world),
    }
    chosen |= {name: value for name, value in later.items() if flat[name] is None}
    flat |= chosen
    if flat["batch"] % (flat["micro_batch"] * world):
        raise ConfigError(
            f"batch: expected a multiple of micro_batch x processes ({flat['micro_batch']} x {world}), "
            f"got {flat['batch']}"
        )
    if flat["halve_on_oom"] and world > 1:
        raise ConfigError(f"halve_on_oom: expected one process, which may read other rows, got {world}")
    if flat["warmup"] > steps:
        raise ConfigError(f"warmup: expected at most the steps ({steps}), got {flat['warmup']}")
    return config.override(**chosen)


def _has_bf16(device: torch.device) -> bool:
    return device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)


_POSITIVE = ("layers", "d_model", "heads", "kv_heads", "d_ff", "seq", "vocab", "lr", "clip", "steps", "batch")
_AT_LEAST = {
    **dict.fromkeys((*_POSITIVE, "micro_batch", "log_every", "eval_tokens", "keep"), 1),
    **dict.fromkeys(("warmup", "eval_every", "save_every", "prefetch", "sample", "seed", "spike"), 0),
    **dict.fromkeys(("weight_decay", "sanity", "overfit"), 0),
}
_BELOW_ONE = ("dropout", "ema", "beta1", "beta2", "val_fraction")


def _check(flat: Mapping[str, Any]) -> None:
    for name, value in flat.items():
        if isinstance(value, int) and abs(value) >= 1 << 63:
            raise ConfigError(f"{name}: expected a number below 2**63, got {str(value)[:40]}")
        if isinstance(value, float) and name != "clip" and not math.isfinite(value):
            raise ConfigError(f"{name}: expected a finite number, got {value}")
    for name, least in _AT_LEAST.items():
        value = flat[name]
        if value is not None and (value < least if name not in ("lr", "clip") else not value > 0):
            bound = f"at least {least}" if name not in ("lr", "clip") else "more than 0"
            raise ConfigError(f"{name}: expected {bound}, got {value}")
    for name in _BELOW_ONE:
        if not 0 <= flat[name] < 1:
            raise ConfigError(f"{name}: expected at least 0 and less than 1, got {flat[name]}")
    if not 0 <= flat["final_lr"] <= 1:
        raise ConfigError(f"final_lr: expected a share from 0 to 1, got {flat['final_lr']}")
    if flat["seed"] >= 1 << 32:
        raise ConfigError(f"seed: expected 0 to 2**32 - 1, got {flat['seed']}")
    if flat["d_model"] % flat["heads"]:
        raise ConfigError(f"heads: expected a divisor of d_model {flat['d_model']}, got {flat['heads']}")
    if (flat["d_model"] // flat["heads"]) % 2:
        wanted = "an even width of each head, which rotary positions turn in pairs"
        raise ConfigError(f"heads: expected {wanted}, got d_model {flat['d_model']} / {flat['heads']} heads")
    if flat["kv_heads"] is not None and flat["heads"] % flat["kv_heads"]:
        raise ConfigError(f"kv_heads: expected a divisor of heads {flat['heads']}, got {flat['kv_heads']}")
