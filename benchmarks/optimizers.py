"""AdamW on 8 million parameters in 100 tensors: torch's forms, ours, and TorchOpt's if installed.

    python benchmarks/optimizers.py [--compile] [--out benchmarks/results/optimizers.json]

CPU time of one thread, which other programs hardly touch.  The forms take turns step by step, in several
processes, because the layout of the heap decides whether a temporary costs page faults; the least counts.
``--compile`` adds the pure form under ``torch.compile`` (a minute for each process).
"""

import argparse
import importlib
import importlib.util
import json
import multiprocessing
import platform
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

import torch
from torch import Tensor

from typedtorch.optim import pure

TENSORS, SIDE = 100, 283  # 100 * 283**2 = 8.0 million
HYPER = {"lr": 1e-3, "betas": (0.9, 0.95), "eps": 1e-8, "weight_decay": 0.1}


def leaves() -> list[Tensor]:
    source = torch.Generator().manual_seed(0)
    return [torch.randn(SIDE, SIDE, generator=source) for _ in range(TENSORS)]


def torch_form(grads: list[Tensor], **form: bool) -> Callable[[], None]:
    params = [torch.nn.Parameter(leaf) for leaf in leaves()]
    for param, grad in zip(params, grads, strict=True):
        param.grad = grad
    optimizer = torch.optim.AdamW(params, **HYPER, **form)  # type: ignore[arg-type]  # one dict of options
    return optimizer.step


def ours(grads: list[Tensor], **form: bool) -> Callable[[], None]:
    params, rule = leaves(), pure.AdamW(**HYPER)  # type: ignore[arg-type]  # one dict of options
    state = rule.init(params)

    def step() -> None:
        nonlocal params, state
        params, state = rule.step(grads, state, params, **form)

    return step


def compiled(grads: list[Tensor]) -> Callable[[], None]:
    """The pure form as one loop over memory, made by ``torch.compile``."""
    params, rule = leaves(), pure.AdamW(**HYPER)  # type: ignore[arg-type]  # one dict of options
    state = rule.init(params)

    @torch.compile
    def fast(
        params: list[Tensor], state: list[pure.ParamState]
    ) -> tuple[list[Tensor], list[pure.ParamState]]:
        return rule.step(grads, state, params)

    def step() -> None:
        nonlocal params, state
        params, state = fast(params, state)

    return step


def torchopt_form(grads: list[Tensor]) -> Callable[[], None]:
    """TorchOpt's pure AdamW."""
    torchopt = importlib.import_module("torchopt")
    params = tuple(leaves())
    rule = torchopt.adamw(HYPER["lr"], HYPER["betas"], HYPER["eps"], weight_decay=HYPER["weight_decay"])
    state = rule.init(params)

    @torch.no_grad()
    def step() -> None:
        nonlocal params, state
        updates, state = rule.update(tuple(grads), state, params=params, inplace=False)
        params = torchopt.apply_updates(params, updates, inplace=False)

    return step


def measure(rounds: int, with_compile: bool) -> dict[str, float]:
    """Milliseconds per step, the least over rounds in which each form takes one step."""
    torch.set_num_threads(1)
    grads = leaves()
    forms = {
        "torch for-loop": torch_form(grads, foreach=False, fused=False),
        "torch foreach": torch_form(grads, foreach=True),
        "torch fused": torch_form(grads, fused=True),
        "ours, donated": ours(grads, donate=True),
        "ours, pure": ours(grads),
        "ours, pure, fused": ours(grads, fused=True),
    }
    if with_compile:
        forms["ours, pure, compiled"] = compiled(grads)
    if importlib.util.find_spec("torchopt"):
        forms["TorchOpt, pure"] = torchopt_form(grads)
    least = dict.fromkeys(forms, float("inf"))
    for turn in range(rounds):
        for name, step in forms.items():
            start = time.process_time()
            step()
            if turn >= 3:  # the first ones make the state
                least[name] = min(least[name], 1e3 * (time.process_time() - start))
    return least


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/optimizers.json"))
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--processes", type=int, default=5)
    options = parser.parse_args()
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        runs = pool.starmap(measure, [(options.rounds, options.compile)] * options.processes, chunksize=1)
    times = {name: min(run[name] for run in runs) for name in runs[0]}
    fused = times["torch fused"]
    for name, least in times.items():
        print(f"{name:20s} {least:7.2f} ms   {least / fused:5.2f} x torch fused")
    report = {
        "what": f"AdamW, {TENSORS} float32 tensors of {SIDE}x{SIDE}, ms per step, the least of "
        f"{options.rounds} steps in each of {options.processes} processes",
        "date": date.today().isoformat(),
        "machine": f"{platform.processor() or platform.machine()}, CPU time of one thread",
        "torch": torch.__version__,
        "milliseconds": {name: round(least, 3) for name, least in times.items()},
        "times_torch_fused": {name: round(least / fused, 3) for name, least in times.items()},
    }
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
