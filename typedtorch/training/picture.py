"""The picture of a run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from typedtorch.data.files import atomic_file

_INK, _PALE, _ACCENT, _SECOND, _GREY = "#1f2937", "#cbd5e1", "#2563eb", "#dc2626", "#6b7280"


def draw_losses(
    path: Path,
    losses: Sequence[tuple[int, float]],
    validation: Mapping[int, float],
    *,
    unigram: float | None = None,
    title: str = "",
) -> None:
    """Draw training and validation loss in nats (and bits, on the right) against the step.

    ``unigram`` is the entropy of single tokens: what a model that ignores the context reaches at best.

    Raises:
        WriteError: the file cannot be written.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 - slow to import
    from matplotlib.figure import Figure  # noqa: PLC0415 - slow to import

    figure = Figure(figsize=(8, 4.5), dpi=130, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    steps, values = [s for s, v in losses if math.isfinite(v)], [v for _, v in losses if math.isfinite(v)]
    axes.plot(steps, values, color=_PALE, linewidth=1.0, label="training")
    smooth = smoothed(values)
    axes.plot(steps, smooth, color=_ACCENT, linewidth=1.8, label="training, smoothed")
    if validation:
        at = sorted(validation)
        axes.plot(
            at, [validation[s] for s in at], "o-", color=_SECOND, markersize=4.5, label="validation", zorder=3
        )
        last = at[-1]
        axes.annotate(
            f"{validation[last]:.3f} nats\n{validation[last] / math.log(2):.3f} bits",
            (last, validation[last]), xytext=(-6, 10), textcoords="offset points", ha="right", color=_SECOND,
        )  # fmt: skip
    if unigram is not None:
        axes.axhline(
            unigram, color=_GREY, linestyle="--", linewidth=1, label=f"unigram entropy {unigram:.3f}"
        )
    axes.set(xlabel="step", ylabel="loss (nats per token)")
    axes.set_title(title, loc="left", color=_INK, fontsize=11)
    axes.margins(x=0.01)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    bits = axes.secondary_yaxis("right", functions=(_to_bits, _to_nats))
    bits.set_ylabel("bits per token")
    axes.legend(frameon=False, loc="upper right")
    with atomic_file(path) as file:
        figure.savefig(file, format="png")


_PANELS = (
    ("loss", "loss", False),
    ("lr", "learning rate", False),
    ("grad_norm", "gradient norm", True),
    ("items_per_second", "tokens per second", False),
    ("data_wait", "share of time waiting for data", False),
    ("memory", "memory in use (MiB)", False),
)


def draw_report(path: Path, records: Sequence[Mapping[str, object]]) -> None:
    """Draw what the records hold besides the loss: rate, gradients, throughput, waiting, memory.

    Raises:
        WriteError: the file cannot be written.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 - slow to import
    from matplotlib.figure import Figure  # noqa: PLC0415 - slow to import

    figure = Figure(figsize=(11, 6), dpi=110, layout="constrained")
    FigureCanvasAgg(figure)
    for axes, (key, title, logarithmic) in zip(figure.subplots(2, 3).flat, _PANELS, strict=True):
        points = [(float(str(r["step"])), float(str(r[key]))) for r in records if r.get(key) is not None]
        scale = 2**-20 if key == "memory" else 1.0
        axes.plot([s for s, _ in points], [v * scale for _, v in points], color=_ACCENT, linewidth=1.4)
        axes.set_title(title, loc="left", color=_INK, fontsize=10)
        if logarithmic and any(v > 0 for _, v in points):
            axes.set_yscale("log")
        elif key not in ("loss",):
            axes.set_ylim(bottom=0)
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=8)
    with atomic_file(path) as file:
        figure.savefig(file, format="png")


def _to_bits(nats: Any) -> Any:
    return np.asarray(nats) / math.log(2)


def _to_nats(bits: Any) -> Any:
    return np.asarray(bits) * math.log(2)


def smoothed(values: Sequence[float], *, share: float = 0.05) -> list[float]:
    """A centred running mean over ``share`` of the values; the ends average what there is.

    >>> smoothed([0.0, 3.0, 6.0], share=1.0)
    [1.5, 3.0, 4.5]
    """
    half = max(1, int(len(values) * share) // 2)
    sums = [0.0]
    for value in values:
        sums.append(sums[-1] + value)
    result = []
    for i in range(len(values)):
        low, high = max(0, i - half), min(len(values), i + half + 1)
        result.append((sums[high] - sums[low]) / (high - low))
    return result
