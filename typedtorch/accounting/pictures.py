"""Pictures of an account: memory over a step, operators on the roofline, FLOPs by module."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib import pyplot as plt

from typedtorch.accounting import timeline as tl
from typedtorch.accounting.answers import Account
from typedtorch.accounting.devices import Device
from typedtorch.accounting.roofline import Dot, Time
from typedtorch.accounting.trace import Category
from typedtorch.accounting.units import binary, decimal, decimal_scale

mpl.use("Agg")

_COLOURS: dict[Category, str] = {
    "parameter": "#4477aa", "buffer": "#66ccee", "optimizer": "#aa3377", "gradient": "#ee6677",
    "input": "#bbbbbb", "cast": "#ccbb44", "activation": "#228833",
}  # fmt: skip
_PHASES = {"forward": "o", "backward": "s", "recompute": "^", "optimizer": "D"}


def write(account: Account, folder: Path, *, device: Device | str | None = None) -> list[Path]:
    """Write every picture an account has into a folder; the roofline needs a device."""
    folder.mkdir(parents=True, exist_ok=True)
    made = [_save(memory(account), folder / "memory.png"), _save(modules(account), folder / "modules.png")]
    time = account.time(device) if device is not None else None
    if time is not None:
        made.append(_save(roofline(account, time), folder / "roofline.png"))
    return made


def _save(figure: Any, path: Path) -> Path:
    figure.savefig(path, dpi=120)
    plt.close(figure)
    return path


def memory(account: Account) -> Any:
    """Bytes alive after each operator of the last step, stacked by what they hold, the peak marked."""
    figure, axes = plt.subplots(figsize=(10, 5), layout="constrained")
    trace = account.trace
    last = trace.ops[-1].step if trace.ops else 0
    start = trace.marks.get((last - 1, "optimizer"), 0)
    scale, unit = _scale(account.memory.peak)
    shown = [c for c in _COLOURS if any(tl.series(trace, c)[start:])]
    levels = [[v / scale for v in tl.series(trace, c)[start:]] for c in shown]
    axes.stackplot(
        range(len(levels[0])),
        *levels,
        labels=shown,
        colors=[_COLOURS[c] for c in shown],
        step="post",
        linewidth=0,
    )
    _mark_peak(axes, account, start, scale)
    _mark_phases(axes, account, start, last)
    axes.set(xlabel="operator", ylabel=unit, title=f"Memory of a training step of {account.name}")
    axes.set_xlim(0, max(len(levels[0]) - 1, 1))
    axes.set_ylim(0, account.memory.peak / scale * 1.28)
    axes.legend(loc="upper center", ncols=len(shown), fontsize=8, frameon=False)
    return figure


def _scale(size: int) -> tuple[float, str]:
    for power, unit in ((4, "TiB"), (3, "GiB"), (2, "MiB"), (1, "KiB")):
        if size >= 1024**power:
            return float(1024**power), unit
    return 1.0, "B"


def _mark_peak(axes: Any, account: Account, start: int, scale: float) -> None:
    at = account.peak.at - start
    memory = account.memory
    if at < 0:
        return
    height = memory.peak / scale
    axes.plot([at], [height], marker="v", color="black", markersize=8, zorder=5)
    where = memory.peak_module or "the root"
    text = f"peak {binary(memory.peak)}\n{memory.peak_operator}\nin {where}, {memory.peak_phase}"
    right = at > (len(account.trace.ops) - start) / 2
    axes.annotate(
        text, (at, height), xytext=(-10 if right else 10, 8), textcoords="offset points",
        ha="right" if right else "left", va="bottom", fontsize=8,
    )  # fmt: skip


def _mark_phases(axes: Any, account: Account, start: int, step: int) -> None:
    before = 0
    for phase in ("forward", "backward", "optimizer"):
        end = account.trace.marks.get((step, phase))
        if end is None or end - start <= before:
            continue
        if before:
            axes.axvline(before, color="black", linewidth=0.8, linestyle=":")
        axes.text((before + end - start) / 2, 0, phase, ha="center", va="bottom", fontsize=8, color="white")
        before = end - start


def roofline(account: Account, time: Time) -> Any:
    """Operators by intensity and the FLOP/s they can reach; the larger a dot, the longer it takes."""
    figure, axes = plt.subplots(figsize=(8, 5.5), layout="constrained")
    device = time.device
    dots = [d for d in time.dots if d.flops and d.bytes and d.seconds > 0]
    keys = sorted({d.dtype for d in dots if d.bound == "arithmetic"} or {d.dtype for d in dots})
    low = min((d.intensity for d in dots), default=0.1) / 3
    high = (
        max(max((d.intensity for d in dots), default=1.0), *(device.peak[k] / device.bandwidth for k in keys))
        * 5
    )
    for key in keys:
        peak = device.peak[key]
        ridge = peak / device.bandwidth
        axes.plot([low, ridge, high], [low * device.bandwidth, peak, peak], color="black", linewidth=1.2)
        axes.annotate(
            f"{key} {decimal(peak, 'FLOP/s')}",
            (low, peak),
            xytext=(6, 4),
            textcoords="offset points",
            fontsize=8,
        )
        axes.plot([low, ridge], [peak, peak], color="black", linewidth=0.6, linestyle=":")
    longest = max((d.seconds * d.calls for d in dots), default=1.0)
    for phase, marker in _PHASES.items():
        part = [d for d in dots if d.phase == phase]
        axes.scatter(
            [d.intensity for d in part], [d.flops / d.seconds for d in part], marker=marker, alpha=0.55,
            s=[12 + 220 * d.seconds * d.calls / longest for d in part], label=phase if part else None,
            color="#228833" if phase == "forward" else "#ee6677" if phase == "backward" else "#aa3377",
        )  # fmt: skip
    _name_dots(axes, dots, (low * high) ** 0.5)
    axes.set(xscale="log", yscale="log", xlabel="FLOPs per byte", ylabel="FLOP/s", xlim=(low, high))
    axes.set_title(f"{account.name} on {device.name}: {time.memory_share:.0%} of the time waits for memory")
    axes.legend(loc="lower right", frameon=False, fontsize=8)
    return figure


def _name_dots(axes: Any, dots: list[Dot], middle: float) -> None:
    """Names beside the operators that take longest, on the side that has room."""
    named: set[str] = set()
    places: list[tuple[bool, float]] = []
    for dot in sorted(dots, key=lambda d: -d.seconds * d.calls)[:12]:
        short = dot.name.rsplit(".", 1)[0].removeprefix("aten.").removeprefix("_scaled_dot_product_")
        short = short.removeprefix("_").replace("_for_cpu", "")
        if short not in named and len(named) < 6:
            named.add(short)
            left = dot.intensity > middle
            height = dot.flops / dot.seconds
            near = sum(abs(math.log(height / other)) < 0.3 for side, other in places if side == left)
            places.append((left, height))
            axes.annotate(
                short, (dot.intensity, dot.flops / dot.seconds), fontsize=7, textcoords="offset points",
                xytext=(-10 if left else 8, -10 - 9 * near), ha="right" if left else "left",
            )  # fmt: skip


def modules(account: Account, *, most: int = 14) -> Any:
    """FLOPs forward and backward of the modules that do the work, repeated blocks added up."""
    sums: dict[str, list[int]] = {}
    leaves = [p for p in account.modules if p and not any(q.startswith(f"{p}.") for q in account.modules)]
    for path in leaves or [""]:
        cost = account.modules[path]
        name = ".".join("*" if part.isdigit() else part for part in path.split(".")) or account.name
        row = sums.setdefault(name, [0, 0])
        row[0] += cost.forward
        row[1] += cost.backward
    rest = account.flops.forward - sum(r[0] for r in sums.values())
    again = account.flops.backward - sum(r[1] for r in sums.values())
    if rest or again:
        sums["in parents (attention, ...)"] = [rest, again]
    rows = sorted(sums.items(), key=lambda item: -sum(item[1]))[:most]
    rows = [(name, row) for name, row in rows if sum(row)][::-1]
    figure, axes = plt.subplots(figsize=(9, 0.9 + 0.36 * max(len(rows), 2)), layout="constrained")
    names = [name for name, _ in rows]
    unit, power = decimal_scale(max((sum(r) for _, r in rows), default=1))
    forward, backward = [r[0] / power for _, r in rows], [r[1] / power for _, r in rows]
    axes.barh(names, forward, color="#228833", label="forward")
    axes.barh(names, backward, left=forward, color="#ee6677", label="backward")
    total = max(account.flops.forward + account.flops.backward, 1) / power
    widest = max((a + b for a, b in zip(forward, backward, strict=True)), default=1)
    for at, (a, b) in enumerate(zip(forward, backward, strict=True)):
        axes.text(a + b + widest * 0.01, at, f"{(a + b) / total:.0%}", va="center", fontsize=8)
    axes.set_xlim(0, widest * 1.2)
    axes.set(xlabel=f"{unit}FLOP of a step", title=f"FLOPs of {account.name} by module")
    axes.legend(loc="lower right", frameon=False, fontsize=8)
    return figure
