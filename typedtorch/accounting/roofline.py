"""Time by the roofline: an operator takes as long as its arithmetic or its traffic, whichever is longer.

``max(flops / peak(dtype), bytes / bandwidth)`` per operator, summed (Williams et al. 2009).  No
operator is faster than its arithmetic at the device's peak, so the sum is never below the ideal time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import torch

from typedtorch.accounting.devices import Device, dtype_key
from typedtorch.accounting.figures import Cost, repeated
from typedtorch.accounting.timeline import number
from typedtorch.accounting.trace import Op

Bound = Literal["arithmetic", "memory"]
_FLOATS = (torch.float64, torch.float32, torch.bfloat16, torch.float16)


@dataclass(frozen=True)
class Dot:
    """One kind of call on the roofline: what it is, how often, and what bounds it."""

    name: str
    path: str
    phase: str
    calls: int
    flops: int
    bytes: int
    seconds: float
    bound: Bound
    dtype: str

    @property
    def intensity(self) -> float:
        """FLOPs per byte."""
        return self.flops / self.bytes if self.bytes else float("inf")


class Time(float):
    """Seconds of a step by the roofline, with what they are made of."""

    device: Device
    dots: tuple[Dot, ...]
    ideal: float

    def __new__(cls, dots: tuple[Dot, ...], device: Device, ideal: float) -> Time:
        made = super().__new__(cls, sum(dot.seconds * dot.calls for dot in dots))
        made.dots, made.device, made.ideal = dots, device, ideal
        return made

    def phase(self, name: str) -> float:
        """Seconds of one phase: forward, backward, recompute or optimizer."""
        return sum(dot.seconds * dot.calls for dot in self.dots if dot.phase == name)

    @property
    def memory_bound(self) -> tuple[Dot, ...]:
        """Calls that wait for memory, the longest first."""
        found = [dot for dot in self.dots if dot.bound == "memory"]
        return tuple(sorted(found, key=lambda dot: -dot.seconds * dot.calls))

    @property
    def memory_share(self) -> float:
        """The part of the time that is bound by memory."""
        return sum(d.seconds * d.calls for d in self.memory_bound) / self if self else 0.0


def matmul_key(cost: Cost) -> str:
    """The units a product runs on; float32 takes the tensor cores only where torch lets it."""
    kinds = [meta.dtype for meta in cost.op.ins if meta.dtype.is_floating_point or meta.dtype == torch.int8]
    kind = kinds[0] if kinds else torch.float32
    if kind == torch.float32 and torch.get_float32_matmul_precision() != "highest":
        return "tf32"
    return dtype_key(kind)


def missing(costs: Iterable[Cost], device: Device) -> str | None:
    """The first dtype of a product that the device has no peak for."""
    keys = {matmul_key(c) for c in costs if c.count.matmul}
    return next((key for key in sorted(keys) if key not in device.peak), None)


def roofline(costs: Iterable[Cost], device: Device) -> Time:
    """The time of a step on a device that has a peak for every product's dtype.

    Elementwise steps run on the vector units, at the float32 peak (where a device publishes none, only
    their traffic counts).
    """
    dots: list[Dot] = []
    ideal = 0.0
    vector = device.peak.get("fp32")
    for cost, calls in repeated(costs):
        products = number(cost.count.matmul + cost.count.recompute)
        steps, traffic = number(cost.count.elementwise), number(cost.bytes)
        if not products and not steps and not traffic:
            continue
        key = matmul_key(cost) if products else "fp32"
        arithmetic = products / device.peak[key] if products else 0.0
        ideal += arithmetic * calls * cost.op.times
        if vector:
            arithmetic = max(arithmetic, steps / vector)
        waiting = traffic / device.bandwidth
        dots.append(
            Dot(
                cost.op.name, cost.op.path, cost.op.phase, calls * cost.op.times, products or steps, traffic,
                max(arithmetic, waiting), "memory" if waiting > arithmetic else "arithmetic", key,
            )
        )  # fmt: skip
    return Time(tuple(dots), device, ideal)


@dataclass(frozen=True)
class Hint:
    """Something that would make a step faster."""

    path: str
    operator: str
    text: str


def _inner_sizes(op: Op) -> set[int]:
    """Sizes that tensor cores take in blocks: last axes of a product, channels of a convolution.

    The few channels of an image are its own, and a depthwise convolution has no such axis.
    """
    if "convolution" in op.name:
        channels = {number(size) for size in op.ins[1].shape[:2]}
        return set() if 1 in channels else {size for size in channels if size > 4}
    left, right = op.ins[-2:]
    if min(len(left.shape), len(right.shape)) < 2:
        return set()
    return {number(left.shape[-1]), number(right.shape[-1])}


def hints(costs: Iterable[Cost], time: Time | None) -> tuple[Hint, ...]:
    """Sizes that do not fill the tensor cores, and products too small to keep them busy."""
    found: dict[tuple[str, str], Hint] = {}
    for cost, _ in repeated(costs):
        if cost.op.phase != "forward" or not cost.count.matmul or len(cost.op.ins) < 2:
            continue
        itemsize = cost.op.ins[0].dtype.itemsize
        want = 8 if itemsize == 2 else 16 if itemsize == 1 else 4
        for size in _inner_sizes(cost.op):
            if size % want:
                better = -(-size // 64) * 64 if size > 512 else -(-size // want) * want
                found[cost.op.path, str(size)] = Hint(
                    cost.op.path, cost.op.name,
                    f"size {size} is not a multiple of {want}, which tensor cores need; pad it to {better}",
                )  # fmt: skip
    if time is not None and time.memory_share > 0.5:
        slow = next((d for d in time.memory_bound if "mm" in d.name), None)
        if slow is not None:
            found["", "batch"] = Hint(
                slow.path, slow.name,
                f"{time.memory_share:.0%} of the time waits for memory, products too: "
                f"a larger batch would raise {slow.intensity:.0f} FLOPs per byte "
                f"towards {time.device.ridge(slow.dtype):.0f}",
            )  # fmt: skip
    return tuple(found.values())
