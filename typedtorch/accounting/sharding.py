"""What each of ``world`` devices holds when parameters, gradients and optimizer state are shared out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from typedtorch.accounting import timeline as tl
from typedtorch.accounting.checks import counts, one_of
from typedtorch.accounting.trace import Category, Storage, Trace, Weight

Strategy = Literal["ddp", "zero1", "zero2", "zero3", "fsdp2"]

_SHARED: dict[Strategy, frozenset[Category]] = {
    "ddp": frozenset(),
    "zero1": frozenset({"optimizer"}),
    "zero2": frozenset({"optimizer", "gradient"}),
    "zero3": frozenset({"optimizer", "gradient", "parameter"}),
    "fsdp2": frozenset({"optimizer", "gradient", "parameter"}),
}


@dataclass(frozen=True)
class Sharded:
    """Bytes on one device.  ``gathered`` is what is whole for a moment of the backward: the root's own
    parameters, the largest block and the one fetched ahead, and the gradients of the root and of that block;
    ``buckets`` is DDP's copy of the gradients.
    """

    strategy: Strategy
    world: int
    parameters: int
    gradients: int
    optimizer: int
    saved: int
    gathered: int
    buckets: int
    peak: int


def share(numel: int, rows: int, world: int, strategy: Strategy) -> int:
    """Elements of a tensor on the fullest device.

    FSDP2 shares out rows, ``ceil(rows / world)`` each (torch.chunk); ZeRO shares out a flat buffer.

    >>> share(10 * 4, 10, 4, "fsdp2"), share(10 * 4, 10, 4, "zero3")
    (12, 10)
    """
    if strategy == "fsdp2" and rows:
        return -(-rows // world) * (numel // rows)
    return -(-numel // world)


def sharded(
    trace: Trace, *, world: int, strategy: Strategy = "fsdp2", gradient_as_bucket_view: bool = False
) -> Sharded:
    """Memory per device.

    The timeline is that of one device with every shared storage at its share; what is gathered comes on
    top while the forward and the backward run.  Communication buffers inside the library that moves the
    bytes are not modelled.

    Raises:
        AccountingError: a world smaller than 1, or an unknown strategy.
    """
    counts("sharded", world=world)
    one_of("sharded: strategy", strategy, get_args(Strategy))
    shared = _SHARED[strategy]
    shapes = {w.path: w for w in trace.weights}
    small = [_shrunk(s, shapes, world, strategy) if s.category in shared else s for s in trace.storages]
    parameters, state = tl.number(tl.total(small, "parameter")), tl.number(tl.total(tl.kept_state(small)))
    first = trace.marks.get((0, "backward"), len(trace.ops))
    gradients = sum(tl.number(s.nbytes) for s in small if s.category == "gradient" and s.born <= first)
    apart = "parameter" in shared and world > 1
    gathered = _whole(trace.weights, 2) if apart else 0
    learned = [w for w in trace.weights if w.trainable] if (0, "backward") in trace.marks else []
    not_reduced = _whole(learned, 1) if apart else 0
    whole = sum(tl.number(w.numel) * w.dtype.itemsize for w in trace.weights if w.trainable)
    buckets = 0 if strategy != "ddp" or world == 1 or gradient_as_bucket_view else whole
    view = Trace(trace.ops, small, trace.marks)
    saved = sum(tl.number(s.nbytes) for s in tl.saved(trace))
    peak = _peak(view, gathered, not_reduced) + buckets
    whole_now = gathered + not_reduced
    return Sharded(strategy, world, parameters, gradients, state, saved, whole_now, buckets, peak)


def _shrunk(storage: Storage, shapes: dict[str, Weight], world: int, strategy: Strategy) -> Storage:
    weight = shapes.get(storage.path)
    size, item = tl.number(storage.nbytes), storage.dtype.itemsize
    numel = size // item
    if numel <= 1:
        return storage  # a step count is everywhere
    rows = 0
    if weight is not None and weight.shape and numel == tl.number(weight.numel):
        rows = tl.number(weight.shape[0])
    return Storage(
        share(numel, rows, world, strategy) * item, storage.dtype, storage.born, storage.died,
        storage.category, storage.path,
    )  # fmt: skip


def _whole(weights: Iterable[Weight], count: int) -> int:
    """Bytes of what is whole at the fullest moment: what is outside blocks, and some blocks at a time."""
    root, blocks = 0, dict[str, int]()
    for weight in weights:
        block = _block(weight.path)
        size = tl.number(weight.numel) * weight.dtype.itemsize
        if block is None:
            root += size
        else:
            blocks[block] = blocks.get(block, 0) + size
    largest = sorted(blocks.values(), reverse=True)
    return root + sum(largest[:count])


def _block(path: str) -> str | None:
    """``layers.3.attn.q.weight`` -> ``layers.3``; None for what is in no numbered block."""
    parts = path.split(".")
    at = next((i for i, part in enumerate(parts) if part.isdigit()), None)
    return None if at is None else ".".join(parts[: at + 1])


def _peak(trace: Trace, gathered: int, not_reduced: int) -> int:
    """The highest level, with what is gathered until the optimizer, and gradients from the backward on."""
    whole = {"forward": gathered, "optimizer": 0}
    levels = zip(tl.series(trace), trace.ops, strict=True)
    return max((level + whole.get(op.phase, gathered + not_reduced) for level, op in levels), default=0)
