"""The pictures of a run."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from typedtorch.data.files import atomic_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Record = Mapping[str, object]
_INK, _PALE, _ACCENT, _SECOND, _GREY = "#1f2937", "#cbd5e1", "#2563eb", "#dc2626", "#6b7280"
_PARTS = (("data", "#f59e0b"), ("forward and backward", _ACCENT), ("update", "#10b981"), ("rest", _PALE))


def draw_losses(
    losses: Sequence[tuple[int, float]],
    validation: Mapping[int, float],
    *,
    unigram: float | None = None,
    title: str = "",
) -> Figure:
    """Training and validation loss in nats (and bits, on the right) against the step.

    ``unigram`` is the entropy of single tokens: what a model that ignores the context reaches at best.
    """
    figure = _figure(8, 4.5)
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
    return figure


_PANELS = (
    ("loss", "loss", 1.0),
    ("lr", "learning rate", 1.0),
    ("grad_norm", "gradient norm", 1.0),
    ("items_per_second", "tokens per second", 1.0),
    ("", "time of a step (ms)", 1e3),
    ("memory", "memory in use (MiB)", 2**-20),
)


def draw_panels(records: Sequence[Record]) -> Figure:
    """What the records hold: loss, rate, gradients, throughput, where the time goes, memory."""
    figure = _figure(11, 6)
    for axes, (key, title, scale) in zip(figure.subplots(2, 3).flat, _PANELS, strict=True):
        if key:
            points = _points(records, key)
            axes.plot([s for s, _ in points], [v * scale for _, v in points], color=_ACCENT, linewidth=1.4)
            if key == "grad_norm" and any(v > 0 for _, v in points):
                axes.set_yscale("log")
            elif key != "loss":
                axes.set_ylim(0, 1.08 * max((v * scale for _, v in points), default=1.0) or 1.0)
        else:
            _draw_parts(axes, records, scale)
        axes.set_title(title, loc="left", color=_INK, fontsize=10)
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(which="both", labelsize=8)
    return figure


def _draw_parts(axes: Any, records: Sequence[Record], scale: float) -> None:
    """The parts of a step, one on another."""
    timed = step_parts(records)
    if not timed:
        return
    steps = [step for step, _ in timed]
    columns = [[parts[name] * scale for _, parts in timed] for name, _ in _PARTS]
    colours, names = [colour for _, colour in _PARTS], [name for name, _ in _PARTS]
    if len(steps) == 1:  # an area needs two points
        steps, columns = [steps[0] - 1, steps[0]], [column * 2 for column in columns]
    axes.stackplot(steps, *columns, labels=names, colors=colours, linewidth=0)
    axes.legend(frameon=False, fontsize=7, loc="upper right")
    axes.set_ylim(bottom=0, top=1.35 * max(map(sum, zip(*columns, strict=True))))


def step_parts(records: Sequence[Record]) -> list[tuple[int, dict[str, float]]]:
    """For each record, the seconds of one step by what they went to.

    >>> step_parts([{"step": 2, "step_seconds": 9.0, "wait_seconds": 1.0, "gradient_seconds": 5.0,
    ...     "update_seconds": 2.0}])
    [(2, {'data': 1.0, 'forward and backward': 5.0, 'update': 2.0, 'rest': 1.0})]
    """
    found = []
    for record in records:
        if record.get("gradient_seconds") is None or record.get("step_seconds") is None:
            continue
        keys = ("wait_seconds", "gradient_seconds", "update_seconds")
        parts = [float(str(record.get(key) or 0.0)) for key in keys]
        rest = max(0.0, float(str(record["step_seconds"])) - sum(parts))
        names = [name for name, _ in _PARTS]
        found.append((int(str(record["step"])), dict(zip(names, [*parts, rest], strict=True))))
    return found


def _points(records: Sequence[Record], key: str) -> list[tuple[float, float]]:
    return [(float(str(r["step"])), float(str(r[key]))) for r in records if r.get(key) is not None]


def _figure(width: float, height: float) -> Figure:
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 - slow to import
    from matplotlib.figure import Figure  # noqa: PLC0415 - slow to import

    figure = Figure(figsize=(width, height), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def save_png(figure: Figure, path: Path) -> None:
    """Write a figure as an image.

    Raises:
        WriteError: the file cannot be written.
    """
    with atomic_file(path) as file:
        figure.savefig(file, format="png")


def as_svg(figure: Figure, prefix: str) -> str:
    """A figure as an element for an HTML page; ``prefix`` keeps its names apart from another figure's."""
    import matplotlib as mpl  # noqa: PLC0415 - slow to import

    file = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": prefix, "svg.fonttype": "none"}):
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    text = file.getvalue()
    element = text[text.index("<svg") :]
    element = re.sub(r"<metadata>.*?</metadata>", "", element, flags=re.DOTALL)
    # names are shared by the whole page
    element = re.sub(r'\bid="', f'id="{prefix}-', element)
    return re.sub(r'(url\(|href=")#', rf"\1#{prefix}-", element)


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
