"""Figures of the last steps, read from the device without stopping it."""

from __future__ import annotations

import math
import time
from dataclasses import asdict, dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from typedtorch.training.clock import Split, StepClock, read


@dataclass(frozen=True)
class Figures:
    """What one stretch of steps looked like; units: nats, items (tokens) and seconds."""

    step: int
    loss: float
    """Mean over the stretch."""
    grad_norm: float
    """Of the last step, before clipping."""
    lr: float
    items: int
    """Since the start of the run, over all processes."""
    items_per_second: float
    step_seconds: float
    data_wait: float
    """Share of the time spent waiting for batches."""
    seconds: float
    """Since the start of this process's loop."""
    wait_seconds: float = 0.0
    """Of one step: waiting for batches."""
    gradient_seconds: float = 0.0
    """Of one step: forward and backward."""
    update_seconds: float = 0.0
    """Of one step: clipping and the optimizer."""
    paused_seconds: float = 0.0
    """In the whole stretch, and in no other figure: evaluating and saving."""
    losses: tuple[float, ...] = ()
    norms: tuple[float, ...] = ()

    def record(self) -> dict[str, object]:
        """As a log record: the per-step lists left out."""
        return {key: value for key, value in asdict(self).items() if key not in ("losses", "norms")}


@dataclass
class _Stretch:
    """A stretch whose losses are still on their way from the device."""

    step: int
    lr: float
    items: int
    new_items: int
    elapsed: float
    waited: float
    seconds: float
    paused: float
    split: Split | list[torch.cuda.Event]
    values: Float[Tensor, "2 steps"] | None
    event: torch.cuda.Event | None
    losses: list[float]
    norms: list[float]


class Meter:
    """Collects each step's loss and gradient norm and turns stretches of them into :class:`Figures`.

    On a CPU the values are numbers at once. On CUDA they stay tensors; at the end of a stretch they start a
    copy to pinned memory, and its figures are given out when that has arrived: one stretch later as a rule.
    """

    def __init__(self, device: torch.device) -> None:
        self._cuda, self._device = device.type == "cuda", device
        self._losses: list[Float[Tensor, ""] | float] = []
        self._norms: list[Float[Tensor, ""] | float] = []
        self._pending: list[_Stretch] = []
        self.clock = StepClock(device)
        self.items = self._new_items = 0
        self.begin()

    def begin(self) -> None:
        """Start the clock."""
        self._origin = self._mark = time.perf_counter()
        self._waited = self._paused = 0.0

    def add(
        self, loss: Float[Tensor, ""] | float, norm: Float[Tensor, ""] | float, items: int, waited: float
    ) -> None:
        """One step's values."""
        self._losses.append(loss)
        self._norms.append(norm)
        self._new_items += items
        self._waited += waited

    def pause(self, seconds: float) -> None:
        """Leave out time that was not training: evaluation, saving."""
        self._mark += seconds
        self._paused += seconds

    @property
    def uncounted(self) -> int:
        """Items of the steps since the last stretch ended."""
        return self._new_items

    def close_stretch(self, step: int, lr: float) -> None:
        """End the stretch that has been collected."""
        if not self._losses:
            return
        now = time.perf_counter()
        self.items += self._new_items
        values, event, losses, norms = None, None, [], []
        if self._cuda:
            values, event = self._start_copy()
        else:
            losses, norms = [float(v) for v in self._losses], [float(v) for v in self._norms]
        self._pending.append(
            _Stretch(
                step, lr, self.items, self._new_items, now - self._mark, self._waited,
                now - self._origin, self._paused, self.clock.close(len(self._losses)),
                values, event, losses, norms,
            )
        )  # fmt: skip
        self._losses, self._norms, self._new_items = [], [], 0
        self._mark, self._waited, self._paused = now, 0.0, 0.0

    def _start_copy(self) -> tuple[Float[Tensor, "2 steps"], torch.cuda.Event]:
        stacked = torch.stack([self._column(self._losses), self._column(self._norms)])
        host = torch.empty(stacked.shape, dtype=stacked.dtype, pin_memory=True)
        host.copy_(stacked, non_blocking=True)
        event = torch.cuda.Event()
        event.record()
        return host, event

    def _column(self, values: list[Float[Tensor, ""] | float]) -> Float[Tensor, "steps"]:
        return torch.stack([torch.as_tensor(v, dtype=torch.float32, device=self._device) for v in values])

    def ready(self, *, wait: bool = False) -> list[Figures]:
        """The figures of every stretch that has arrived; ``wait`` waits for all."""
        done = []
        while self._pending and (wait or self._arrived(self._pending[0])):
            done.append(_figures(self._pending.pop(0)))
        return done

    def _arrived(self, stretch: _Stretch) -> bool:
        return stretch.event is None or len(self._pending) > 2 or bool(stretch.event.query())


def _figures(stretch: _Stretch) -> Figures:
    if stretch.event is not None and stretch.values is not None:
        stretch.event.synchronize()
        stretch.losses, stretch.norms = stretch.values.tolist()
    steps, elapsed = len(stretch.losses), max(stretch.elapsed, 1e-9)
    split = read(stretch.split)
    return Figures(
        step=stretch.step,
        loss=math.fsum(stretch.losses) / steps if all(map(math.isfinite, stretch.losses)) else math.nan,
        grad_norm=stretch.norms[-1],
        lr=stretch.lr,
        items=stretch.items,
        items_per_second=stretch.new_items / elapsed,
        step_seconds=elapsed / steps,
        data_wait=min(1.0, stretch.waited / elapsed),
        seconds=stretch.seconds,
        wait_seconds=stretch.waited / steps,
        gradient_seconds=split.gradients,
        update_seconds=split.update,
        paused_seconds=stretch.paused,
        losses=tuple(stretch.losses),
        norms=tuple(stretch.norms),
    )
