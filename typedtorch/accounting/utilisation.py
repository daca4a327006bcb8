"""How well a machine was used: achieved over peak FLOP/s, and how to measure a peak."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass

import torch

from typedtorch.accounting.checks import above_zero, counts, shown
from typedtorch.accounting.devices import Device, Dtype, dtype_key, find, why_unknown
from typedtorch.accounting.errors import AccountingError


@dataclass(frozen=True)
class MeasuredPeak:
    """What a large matrix product reached: the median and the best of the timed runs, in FLOP/s."""

    flops: float
    best: float
    size: int
    seconds: float

    def __float__(self) -> float:
        return self.flops


def peak_flops(device: Device | MeasuredPeak | torch.device | str, dtype: Dtype) -> float | None:
    """FLOP/s the device promises (or was measured to reach) for the dtype; None where that is not known."""
    if isinstance(device, MeasuredPeak):
        return device.flops
    known = find(device)
    dtype_key(dtype)
    return None if known is None else known.flops(dtype)


def why_no_peak(device: Device | torch.device | str, dtype: Dtype) -> str:
    """Why :func:`mfu` is None for a device and dtype.

    >>> print(why_no_peak("t4", "bf16"))
    T4 promises nothing for bf16; it has fp32, fp16, int8, int4
    """
    dtype_key(dtype)
    return why_unknown(device, dtype)


def mfu(
    flops: float,
    seconds: float,
    device: Device | MeasuredPeak | torch.device | str,
    dtype: Dtype = "bf16",
    *,
    devices: int = 1,
) -> float | None:
    """Model FLOPs utilisation: ``flops / seconds / (devices * peak)``, None for an unknown peak.

    ``flops`` are the model's (no recomputation), as in Chowdhery et al. 2022, appendix B.  With the
    hardware's FLOPs instead it is the hardware utilisation, HFU.

    Raises:
        AccountingError: a time that is not positive, or an unknown dtype.

    >>> mfu(989.4e12, 2.0, "h100", "bf16")
    0.5
    >>> mfu(1e12, 1.0, "an unknown device") is None
    True
    """
    above_zero("mfu", seconds=seconds)
    counts("mfu", devices=devices)
    if flops:
        above_zero("mfu", flops=flops)
    peak = peak_flops(device, dtype)
    return None if peak is None else flops / seconds / (peak * devices)


def measure_peak(
    device: torch.device | str, dtype: torch.dtype = torch.float32, *, size: int | None = None, runs: int = 7
) -> MeasuredPeak:
    """Time ``size x size`` matrix products on a device: warmed up, synchronised, the median taken.

    A peak that was measured is what the device does for a plain product, not what a vendor promises:
    use it where nothing is promised (a CPU, an unknown part).

    >>> measure_peak("cpu", size=64, runs=3).flops > 0
    True
    """
    counts("measure_peak", size=1 if size is None else size, runs=runs)
    if not isinstance(dtype, torch.dtype):
        raise AccountingError(f"measure_peak: wanted a dtype of torch, got {shown(dtype)}")
    try:
        where = torch.device(device)
        torch.empty(0, device=where)
    except (RuntimeError, AssertionError, TypeError) as error:
        reason = str(error).partition("\n")[0]
        raise AccountingError(f"measure_peak: no device {shown(device)} here: {reason}") from None
    n = size or (8192 if where.type == "cuda" else 1024)
    left, right = (torch.randn(n, n, device=where).to(dtype) for _ in range(2))
    times: list[float] = []
    for run in range(runs + 2):
        _synchronise(where)
        start = time.perf_counter()
        left @ right
        _synchronise(where)
        taken = time.perf_counter() - start
        if run >= 2 or taken > 0.5:  # a product so slow has no warming up
            times.append(taken)
        if sum(times) > 2.0:  # half precision on a CPU without instructions for it
            break
    work = 2.0 * n**3
    median = statistics.median(times)
    return MeasuredPeak(work / median, work / min(times), n, median)


def _synchronise(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    elif device.type == "mps":
        torch.mps.synchronize()
