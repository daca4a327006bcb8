"""Every figure of an account as a function of its trace: numbers from numbers, formulas from formulas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from typedtorch.accounting.count import Count
from typedtorch.accounting.flops import count, moved
from typedtorch.accounting.timeline import alive, kept_state, saved, total
from typedtorch.accounting.trace import Op, Trace
from typedtorch.shapes.size import Size

# the steps one operator belongs to, in the order a training step runs them
PARTS = ("forward", "backward", "recompute", "optimizer")


@dataclass(frozen=True, slots=True)
class Cost:
    """An operator call with what it costs: FLOPs by kind and bytes moved."""

    op: Op
    count: Count
    bytes: Size


def costs(trace: Trace, step: int | None = None) -> list[Cost]:
    """The calls of one step (the last, unless told otherwise) with their costs."""
    wanted = trace.ops[-1].step if step is None and trace.ops else step
    known: dict[int, Cost] = {}  # a repeated block repeats the very same operators
    found = []
    for op in trace.ops:
        if op.step == wanted:
            cost = known.get(id(op))
            if cost is None:
                cost = known[id(op)] = Cost(op, count(op) or Count(), moved(op))
            found.append(cost)
    return found


def repeated(parts: Iterable[Cost]) -> list[tuple[Cost, int]]:
    """Different calls and how often each was made."""
    calls: dict[int, list[Any]] = {}
    for cost in parts:
        calls.setdefault(id(cost), [cost, 0])[1] += 1
    return [(cost, times) for cost, times in calls.values()]


def placed(parts: Iterable[Cost], copies: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[Cost, str]]:
    """Every call with its module: the repetitions of a call belong to the repetitions of its block."""
    seen: dict[int, int] = {}
    for cost in parts:
        times = seen[id(cost)] = seen.get(id(cost), -1) + 1
        path = cost.op.path
        if times:
            prefix = next((p for p in copies if path == p or path.startswith(f"{p}.")), None)
            if prefix is not None:
                path = copies[prefix][times - 1] + path[len(prefix) :]
        yield cost, path


def flops(parts: Iterable[Cost]) -> dict[str, Size]:
    """FLOPs of a step by part.

    Forward and backward hold what the layers' equations need; what is computed a second time, by
    checkpointing or inside a fused kernel, is ``recompute``.  The optimizer has no matrices (but for
    the orthogonalising ones), so its elementwise steps are counted too.
    """
    found: dict[str, Size] = dict.fromkeys((*PARTS, "elementwise", "masked"), 0)
    for cost, calls in repeated(parts):
        phase, one = cost.op.phase, cost.count * (cost.op.times * calls)
        found[phase] = found[phase] + one.matmul + (one.elementwise if phase == "optimizer" else 0)
        found["recompute"] = found["recompute"] + one.recompute
        if phase in ("forward", "backward"):
            found["masked"] = found["masked"] + one.masked
            found["elementwise"] = found["elementwise"] + one.elementwise
    found["step"] = found["forward"] + found["backward"] + found["optimizer"]
    found["hardware"] = found["step"] + found["recompute"]
    return found


def memory(trace: Trace, peak_at: int) -> dict[str, Size]:
    """Bytes by what they hold; the peak is what is alive after operator ``peak_at``."""
    everything = trace.storages
    first = [s for s in everything if s.born <= trace.marks.get((0, "backward"), len(trace.ops))]
    last_step = trace.ops[-1].step if trace.ops else 0
    kept = saved(trace, last_step)
    living = alive(everything, peak_at)
    return {
        "parameters": total(everything, "parameter"),
        "buffers": total(everything, "buffer"),
        "inputs": total(everything, "input"),
        "gradients": total(first, "gradient"),
        "optimizer": total(kept_state(everything)),
        "saved": total(kept),
        "casts": total(kept, "cast"),
        "peak": total(living),
        "peak_activations": total(living, "activation", "cast"),
    }


def parameters(trace: Trace) -> dict[str, Size]:
    """How many numbers are learned, and how many of them sit in embedding tables."""
    found: dict[str, Size] = dict.fromkeys(("total", "trainable", "embedding"), 0)
    for weight in trace.weights:
        found["total"] = found["total"] + weight.numel
        if weight.trainable:
            found["trainable"] = found["trainable"] + weight.numel
        if weight.embedding:
            found["embedding"] = found["embedding"] + weight.numel
    return found


def figures(trace: Trace, peak_at: int | None, first_at: int | None = None) -> dict[str, Size]:
    """Every figure by its dotted name; the peaks only where it is known which operators they are at.

    >>> sorted(figures(Trace(), 0))[:3]
    ['bytes.step', 'flops.backward', 'flops.elementwise']
    """
    spent = costs(trace)
    found: dict[str, Size] = {f"flops.{name}": size for name, size in flops(spent).items()}
    held = memory(trace, peak_at or 0)
    if peak_at is None:
        held = {name: size for name, size in held.items() if not name.startswith("peak")}
    found.update({f"memory.{name}": size for name, size in held.items()})
    if first_at is not None:
        found["memory.first_peak"] = total(alive(trace.storages, first_at))
    found.update({f"parameters.{name}": size for name, size in parameters(trace).items()})
    bytes_moved: Size = 0
    for cost, calls in repeated(spent):
        bytes_moved = bytes_moved + cost.bytes * (cost.op.times * calls)
    found["bytes.step"] = bytes_moved
    return found


FIGURES = frozenset(figures(Trace(), 0, 0))  # the names there are


def by_module(trace: Trace, spent: list[Cost]) -> dict[str, dict[str, Size]]:
    """Parameters, FLOPs forward and backward, bytes and calls by module path, children included."""
    sums: dict[str, dict[str, Size]] = {}

    def add(path: str, field: str, size: Size) -> None:
        for each in ancestors(path):
            row = sums.setdefault(each, dict.fromkeys(MODULE_FIELDS, 0))
            row[field] = row[field] + size

    for weight in trace.weights:
        add(weight.path.rpartition(".")[0], "parameters", weight.numel)
    for cost, where in placed(spent, trace.copies):
        op = cost.op
        if op.phase == "optimizer":
            continue
        if op.phase != "recompute":
            add(where, "forward" if op.phase == "forward" else "backward", cost.count.matmul * op.times)
        add(where, "bytes", cost.bytes * op.times)
        add(where, "calls", op.times)
    return sums


MODULE_FIELDS = ("parameters", "forward", "backward", "bytes", "calls")


def ancestors(path: str) -> list[str]:
    """The path and all above it, the root (``""``) first.

    >>> ancestors("a.b.c")
    ['', 'a', 'a.b', 'a.b.c']
    """
    parts = path.split(".") if path else []
    return ["", *(".".join(parts[: i + 1]) for i in range(len(parts)))]


def by_operator(spent: list[Cost]) -> dict[str, dict[str, Size]]:
    """Calls, FLOPs and bytes of a step by operator."""
    sums: dict[str, dict[str, Size]] = {}
    for cost, calls in repeated(spent):
        times = cost.op.times * calls
        row = sums.setdefault(cost.op.name, {"calls": 0, "flops": 0, "bytes": 0})
        row["calls"] = row["calls"] + times
        row["flops"] = row["flops"] + (cost.count.matmul + cost.count.recompute) * times
        row["bytes"] = row["bytes"] + cost.bytes * times
    return sums


def parts(trace: Trace) -> dict[str, Size]:
    """Figures of every module and operator: ``modules[path].forward``, ``operators[name].flops``."""
    spent = costs(trace)
    found = {f"modules[{p}].{f}": s for p, row in by_module(trace, spent).items() for f, s in row.items()}
    found.update({f"operators[{n}].{f}": s for n, row in by_operator(spent).items() for f, s in row.items()})
    return found
