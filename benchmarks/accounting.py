"""Accounting beside torch's counter on the zoo, and Llama-3-405B's training step: time and memory.

Run with ``python -m benchmarks.accounting``; the result goes to ``benchmarks/results/accounting.json``.
"""

from __future__ import annotations

import datetime
import json
import platform
import resource
import time
from pathlib import Path
from typing import Any

import torch
from torch.utils.flop_counter import FlopCounterMode

from tests.accounting.truth import inputs_of, measured_peak
from tests.accounting.zoo_more import ZOO
from typedtorch.accounting import account, presets


def zoo() -> dict[str, dict[str, Any]]:
    """Ratios to the counts of the equations, and of the predicted to the measured peak."""
    rows: dict[str, dict[str, Any]] = {}
    for name, entry in ZOO.items():
        model = entry.model()
        found = account(model, sizes=entry.inputs(), optimizer="adamw")
        truth = entry.training(**entry.sizes)
        inputs = inputs_of(found)
        with FlopCounterMode(display=False) as counter:
            model(*inputs).sum().backward()
        model.zero_grad()
        peak = measured_peak(model, inputs, lambda out: out.sum(), optimizer=torch.optim.AdamW)
        rows[name] = {
            "ours": (found.flops.forward + found.flops.backward) / truth,
            "FlopCounterMode": counter.get_total_flops() / truth,
            "peak": found.memory.peak / peak,
        }
    return rows


def large() -> dict[str, float]:
    """A training step of Llama-3-405B under autocast with AdamW."""
    began, cpu = time.perf_counter(), time.process_time()
    found = account(
        presets.build("llama-3-405b"), batch=1, seq=8192, optimizer="adamw", loss="cross_entropy",
        autocast=torch.bfloat16,
    )  # fmt: skip
    peak, flops = found.memory.peak, found.flops.step
    return {
        "wall_s": time.perf_counter() - began, "cpu_s": time.process_time() - cpu, "peak_bytes": peak,
        "flops": flops, "process_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }  # fmt: skip


def main() -> None:
    result = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(), "torch": torch.__version__,
        "machine": f"{platform.machine()}, {torch.get_num_threads()} threads", "llama-3-405b": large(),
        "zoo": zoo(),
    }  # fmt: skip
    text = json.dumps(result, indent=1)
    Path(__file__).with_name("results").joinpath("accounting.json").write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
