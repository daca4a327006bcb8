"""Generating token by token: the cache of keys and values, and why a step waits for memory.

A decoding step multiplies every weight with one token per sequence and reads the whole cache: about
one FLOP per byte at batch 1, far left of any ridge (Pope et al. 2022).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from typedtorch.accounting.checks import above_zero, counts, shown
from typedtorch.accounting.devices import Device, Dtype, bytes_of
from typedtorch.accounting.errors import AccountingError
from typedtorch.accounting.napkin import known_device


@dataclass(frozen=True, kw_only=True)
class Cache:
    """Keys and values of every layer: ``2 L B S H_kv D`` numbers.

    Raises:
        AccountingError: one of the sizes is no integer of at least 1, or the dtype none of torch's.

    >>> Cache(layers=32, kv_heads=8, head_dim=128, batch=1, context=8192).bytes / 2**30  # Llama-3-8B, GiB
    1.0
    """

    layers: int
    kv_heads: int
    head_dim: int
    batch: int
    context: int
    dtype: torch.dtype = torch.bfloat16

    def __post_init__(self) -> None:
        counts(
            "a cache", layers=self.layers, kv_heads=self.kv_heads, head_dim=self.head_dim, batch=self.batch,
            context=self.context,
        )  # fmt: skip
        if not isinstance(self.dtype, torch.dtype):
            raise AccountingError(f"a cache: wanted a dtype of torch, got {shown(self.dtype)}")

    @property
    def bytes(self) -> int:
        return self.bytes_per_token * self.batch * self.context

    @property
    def bytes_per_token(self) -> int:
        """Of one sequence.

        >>> Cache(layers=80, kv_heads=8, head_dim=128, batch=1, context=1).bytes_per_token  # Llama-3-70B
        327680
        """
        return 2 * self.layers * self.kv_heads * self.head_dim * self.dtype.itemsize


@dataclass(frozen=True)
class DecodeStep:
    """One token for every sequence: FLOPs, bytes, and the time they take on a device."""

    flops: int
    bytes: int
    seconds: float
    tokens_per_second: float
    bound: str
    fits: bool

    @property
    def intensity(self) -> float:
        """FLOPs per byte.

        >>> DecodeStep(10, 5, 1.0, 1.0, "memory", True).intensity
        2.0
        """
        return self.flops / self.bytes


def decode_step(
    cache: Cache,
    *,
    parameters: int,
    heads: int,
    device: Device | str = "h100",
    dtype: Dtype = torch.bfloat16,
    weight_bytes: float | None = None,
    looked_up: int = 0,
    multiplied: float | None = None,
    read: float | None = None,
    devices: int = 1,
) -> DecodeStep:
    """A decoding step: ``B (2N + 4 L H D S)`` FLOPs, reading all weights once and all of the cache.

    ``parameters`` are those that multiply, each of the bytes of ``dtype`` unless ``weight_bytes`` says
    otherwise; those that are only ``looked_up`` (an input embedding) take memory, and nothing is read of
    them.  Where only some experts run, ``multiplied`` of them meet a token (those of a layer that is run
    again count each time) and ``read`` are read in a step; both are all of them otherwise.  With several
    ``devices`` weights and cache are shared out evenly and communication is not counted.

    Raises:
        AccountingError: an unknown device or dtype, or a number that is not positive.

    >>> cache = Cache(layers=32, kv_heads=8, head_dim=128, batch=1, context=8192)
    >>> step = decode_step(cache, parameters=7_504_924_672, heads=32)
    >>> step.bound, round(step.tokens_per_second)
    ('memory', 208)
    >>> round(decode_step(cache, parameters=7_504_924_672, heads=32, dtype="fp8").tokens_per_second)
    391
    """
    if parameters != 0:  # attention alone has none
        counts("decode_step", parameters=parameters)
    counts("decode_step", heads=heads, devices=devices)
    if weight_bytes is not None:
        above_zero("decode_step", weight_bytes=weight_bytes)
    found, peak = known_device(device, dtype)
    attention = 4 * cache.layers * heads * cache.head_dim * cache.context
    flops = cache.batch * (round(2 * (parameters if multiplied is None else multiplied)) + attention)
    each = bytes_of(dtype) if weight_bytes is None else weight_bytes
    moved = int((parameters if read is None else read) * each) + cache.bytes
    held = (parameters + looked_up) * each + cache.bytes
    arithmetic, waiting = flops / (peak * devices), moved / (found.bandwidth * devices)
    seconds = max(arithmetic, waiting)
    return DecodeStep(
        flops, moved, seconds, cache.batch / seconds, "memory" if waiting >= arithmetic else "arithmetic",
        held <= found.memory * devices,
    )  # fmt: skip
