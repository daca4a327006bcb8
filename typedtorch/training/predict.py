"""What a run will cost, before it starts: from the annotated shapes, with peaks promised or measured."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import nn
from torch.optim import Optimizer
from torch.utils.flop_counter import FlopCounterMode

from typedtorch.nn.modes import modes_kept
from typedtorch.training.distributed import Sharing

if TYPE_CHECKING:
    from typedtorch.accounting import Account


@dataclass(frozen=True)
class Peak:
    """FLOP/s to compare with, bytes/s of memory, and where the figures come from."""

    flops: float
    bandwidth: float
    label: str


@dataclass(frozen=True)
class Prediction:
    """What one process's optimizer step costs; bytes, FLOPs, seconds. None where it is not known."""

    parameters: int
    flops_per_token: float | None
    """Forward and backward, by the shapes."""
    memory_peak: int | None
    """Of one process, whatever it shares with others."""
    step_seconds: float | None
    """At the roofline: each operator at the peak's arithmetic or at its bandwidth, whichever is slower."""
    peak: Peak | None
    why_not: str = ""
    shared: str = ""
    """How the memory is shared between processes, for a person."""


def predict(
    model: nn.Module,
    optimizer: Optimizer,
    *,
    micro_batch: int,
    seq: int,
    accumulate: int = 1,
    dtype: torch.dtype = torch.float32,
    recompute: bool = False,
    averaged: bool = False,
    sharing: Sharing = "none",
    world: int = 1,
) -> Prediction:
    """Predict a step of a language model whose ``forward`` is annotated with ``batch`` and ``seq``.

    ``averaged`` says that a moving average of the weights is kept; ``sharing`` and ``world`` how many
    processes share the state, and how.

    >>> from typedtorch.nn import Transformer
    >>> model = Transformer(vocab=8, d_model=16, layers=1, heads=2, max_seq=8)
    >>> found = predict(model, torch.optim.SGD(model.parameters(), lr=0.1), micro_batch=2, seq=8)
    >>> found.parameters == sum(p.numel() for p in model.parameters())
    True
    """
    device = next(model.parameters()).device
    count = sum(p.numel() for p in model.parameters())
    try:
        from typedtorch.accounting import account  # noqa: PLC0415 - slow to import, not needed to train

        found = account(
            model,
            sizes={"batch": micro_batch, "seq": seq},
            optimizer=optimizer,
            loss="cross_entropy",
            autocast=dtype if dtype != torch.float32 else None,
            accumulate=accumulate,
            checkpoint="blocks" if recompute else (),
            on=device.type,
        )
        spent = found.flops.forward + found.flops.backward
        memory = _one_process(found, sharing, world, averaged)
    except Exception as error:  # whatever is wrong with a prediction, the run does not need it
        return Prediction(count, None, None, None, _peak(device, dtype), f"{type(error).__name__}: {error}")
    tokens = micro_batch * seq * accumulate
    peak = _peak(device, dtype)
    seconds = roofline_seconds(found, peak) if peak is not None else None
    many = f" in each of {world} processes ({sharing})" if world > 1 else ""
    return Prediction(found.parameters.total, spent / tokens, memory, seconds, peak, shared=many)


def _one_process(found: Account, sharing: Sharing, world: int, averaged: bool) -> int:
    """Peak bytes in one of ``world`` processes."""
    if world == 1 or sharing == "none":
        return found.memory.peak + (found.memory.parameters if averaged else 0)
    shared = found.sharded(world, "fsdp2" if sharing == "fsdp" else sharing)
    # torch's ZeRO-1 is DDP around another optimizer: the gradients are copied into buckets there too
    buckets = found.sharded(world, "ddp").buckets if sharing == "zero1" else 0
    return shared.peak + buckets + (shared.parameters if averaged else 0)


def roofline_seconds(found: Account, peak: Peak) -> float:
    """The least time a step can take on a device: the sum over its operators."""
    from typedtorch.accounting.timeline import number  # noqa: PLC0415 - likewise

    total = 0.0
    for cost in found.costs:
        arithmetic = number(cost.count.matmul + cost.count.recompute) / peak.flops
        total += cost.op.times * max(arithmetic, number(cost.bytes) / peak.bandwidth)
    return total


def _peak(device: torch.device, dtype: torch.dtype) -> Peak | None:
    """The vendor's figures where the device is known; on a CPU a product's and a copy's, measured now."""
    from typedtorch.accounting import find, measure_peak  # noqa: PLC0415 - likewise

    if device.type == "cuda":
        known = find(torch.cuda.get_device_name(device))
        flops = known.flops(_tensor_float(dtype)) if known is not None else None
        return (
            Peak(flops, known.bandwidth, f"{known.name}, dense {_short(dtype)}") if known and flops else None
        )
    if device.type == "cpu":
        measured = measure_peak(device, dtype)
        label = f"measured matmul peak of this CPU, {torch.get_num_threads()} threads"
        return Peak(measured.best, _copy_bandwidth(), label)
    return None


def _tensor_float(dtype: torch.dtype) -> torch.dtype | str:
    allowed = dtype == torch.float32 and torch.backends.cuda.matmul.allow_tf32
    return "tf32" if allowed else dtype


def _short(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _copy_bandwidth(size: int = 1 << 26) -> float:
    source = torch.zeros(size, dtype=torch.uint8)
    target = torch.empty_like(source)
    best = float("inf")
    for _ in range(4):
        began = time.perf_counter()
        target.copy_(source)
        best = min(best, time.perf_counter() - began)
    return 2 * size / best


def count_flops_per_token(model: nn.Module, seq: int) -> float | None:
    """FLOPs per token of one real forward and backward pass, counted by torch while it runs.

    An independent check of the prediction. Attention runs as plain products meanwhile: torch counts nothing
    for the fused kernel of a CPU.
    """
    device = next(model.parameters()).device
    tokens = torch.zeros(1, seq, dtype=torch.long, device=device)
    try:
        with (
            modes_kept(model),
            torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH),
            FlopCounterMode(display=False) as counter,
        ):
            model.eval()  # no dropout, and nothing drawn from the generators
            model(tokens).sum().backward()
        return float(counter.get_total_flops()) / seq
    except RuntimeError:
        return None
    finally:
        model.zero_grad(set_to_none=True)
