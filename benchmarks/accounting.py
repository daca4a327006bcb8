"""Accounting beside its peers on the zoo, and Llama-3-405B's training step: FLOPs, memory and time.

Run with ``python -m benchmarks.accounting``; the results go to ``benchmarks/results/accounting.json`` and
``accounting.txt``.  fvcore, calflops, torchinfo and ptflops are compared with where they are installed
(fvcore wants iopath, yacs, portalocker, tabulate, termcolor and tqdm; calflops imports transformers and
accelerate, which it does not use here).
"""

from __future__ import annotations

import contextlib
import datetime
import inspect
import io
import json
import logging
import platform
import resource
import time
import warnings
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from tests.accounting.truth import inputs_of, measured_peak
from tests.accounting.zoo_more import ZOO
from typedtorch.accounting import account, presets

Inputs = tuple[Tensor, ...]


def flop_counter(model: nn.Module, inputs: Inputs) -> float:
    with FlopCounterMode(display=False) as counter:
        model(*inputs)
    return float(counter.get_total_flops())


def fvcore(model: nn.Module, inputs: Inputs) -> float:
    from fvcore.nn import FlopCountAnalysis  # type: ignore[import-not-found]  # noqa: PLC0415 - optional

    analysis = FlopCountAnalysis(model, inputs)
    return 2.0 * float(analysis.unsupported_ops_warnings(False).uncalled_modules_warnings(False).total())


def calflops(model: nn.Module, inputs: Inputs) -> float:
    from calflops import calculate_flops  # type: ignore[import-not-found]  # noqa: PLC0415 - optional

    found = calculate_flops(
        model, args=list(inputs), output_as_string=False, print_results=False, print_detailed=False
    )
    return 2.0 * float(found[1])  # multiply-adds; its FLOPs add activations


def torchinfo(model: nn.Module, inputs: Inputs) -> float:
    from torchinfo import summary  # type: ignore[import-not-found]  # noqa: PLC0415 - optional

    return 2.0 * float(summary(model, input_data=list(inputs), verbose=0).total_mult_adds)


def ptflops(model: nn.Module, inputs: Inputs) -> float:
    from ptflops import (  # type: ignore[import-not-found]  # noqa: PLC0415 - optional
        get_model_complexity_info,
    )

    names = list(inspect.signature(model.forward).parameters)
    macs, _ = get_model_complexity_info(
        model, (1,), input_constructor=lambda _: dict(zip(names, inputs, strict=True)), as_strings=False,
        print_per_layer_stat=False, verbose=False, backend="pytorch",
    )  # fmt: skip
    return 2.0 * float(macs)


PEERS: dict[str, Callable[[nn.Module, Inputs], float]] = {
    "FlopCounterMode": flop_counter, "fvcore": fvcore, "calflops": calflops, "torchinfo": torchinfo,
    "ptflops": ptflops,
}  # fmt: skip


def asked(peer: Callable[[nn.Module, Inputs], float], model: nn.Module, inputs: Inputs) -> float | str:
    """What a peer says, or what it fails with."""
    quiet = io.StringIO()
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
            warnings.simplefilter("ignore")
            return peer(model, inputs)
    except ImportError:
        return "not installed"
    except Exception as error:  # a peer may fail in any way
        return type(error).__name__


def zoo() -> dict[str, dict[str, Any]]:
    """Ratios to the counts of the equations, and of the predicted to the measured peak."""
    rows: dict[str, dict[str, Any]] = {}
    for name, entry in ZOO.items():
        model = entry.model()
        found = account(model, sizes=entry.inputs(), optimizer="adamw")
        forward, training = entry.forward(**entry.sizes), entry.training(**entry.sizes)
        inputs = inputs_of(found)
        said = {peer: asked(function, entry.model(), inputs) for peer, function in PEERS.items()}
        with FlopCounterMode(display=False) as counter:
            model(*inputs).sum().backward()
        model.zero_grad()
        peak = measured_peak(model, inputs, lambda out: out.sum(), optimizer=torch.optim.AdamW)
        rows[name] = {
            "forward": {
                "typedtorch": found.flops.forward / forward,
                **{peer: s if isinstance(s, str) else s / forward for peer, s in said.items()},
            },
            "training": {
                "typedtorch": (found.flops.forward + found.flops.backward) / training,
                "FlopCounterMode": counter.get_total_flops() / training,
            },
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


def table(result: dict[str, Any]) -> str:
    """The zoo as text: 1 is right; forward, then training (``step``), then the peak."""
    names = ["typedtorch", *PEERS]
    head = "model".ljust(18) + "".join(n.rjust(17) for n in names) + "step: ours".rjust(13)
    lines = [
        f"FLOPs of the forward over the count of the layer equations, {result['date']}, "
        f"torch {result['torch']}, {result['machine']}",
        "", head + "FlopCounterMode".rjust(17) + "peak".rjust(9),
    ]  # fmt: skip
    for model, row in result["zoo"].items():
        cells = [_cell(row["forward"][n]).rjust(17) for n in names]
        step = _cell(row["training"]["typedtorch"]).rjust(13)
        theirs = _cell(row["training"]["FlopCounterMode"]).rjust(17)
        lines.append(model.ljust(18) + "".join(cells) + step + theirs + _cell(row["peak"]).rjust(9))
    right = {n: sum(row["forward"][n] == 1 for row in result["zoo"].values()) for n in names}
    lines.append(
        "exact".ljust(18) + "".join(f"{n} of {len(result['zoo'])}".rjust(17) for n in right.values())
    )
    big = result["llama-3-405b"]
    lines += [
        "",
        f"Llama-3-405B, one step: {big['cpu_s']:.1f} s CPU, {big['process_mib']:.0f} MiB of process",
    ]
    return "\n".join(lines)


def _cell(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.3f}"


def versions() -> dict[str, str]:
    found = {}
    for peer in PEERS:
        with contextlib.suppress(PackageNotFoundError):
            found[peer] = version(peer)
    return found


def main() -> None:
    logging.disable(logging.WARNING)
    big = large()  # first: the process's memory is its own then
    result = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(), "torch": torch.__version__,
        "machine": f"{platform.machine()}, {torch.get_num_threads()} threads", "llama-3-405b": big,
        "peers": versions(), "zoo": zoo(),
    }  # fmt: skip
    results = Path(__file__).with_name("results")
    results.joinpath("accounting.json").write_text(json.dumps(result, indent=1) + "\n")
    results.joinpath("accounting.txt").write_text(table(result) + "\n")
    print(table(result))


if __name__ == "__main__":
    main()
