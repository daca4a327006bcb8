"""Where the time of a step goes, without waiting for the device."""

from __future__ import annotations

import time
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Split:
    """Seconds of one step: forward and backward, and the update (clipping and the optimizer)."""

    gradients: float
    update: float


class StepClock:
    """Splits steps into gradients and update.

    On a CPU every step is timed, waiting for data left out. On CUDA the first step of each stretch leaves
    three events in the stream, which are read when the stretch's figures have arrived.
    """

    def __init__(self, device: torch.device) -> None:
        self._cuda = device.type == "cuda"
        self._mark = self._gradients = self._update = 0.0
        self._events: list[torch.cuda.Event] = []

    def start(self) -> None:
        """A step begins."""
        if self._cuda:
            self._record(0)
        else:
            self._mark = time.perf_counter()

    def computed(self, waited: float) -> None:
        """Its gradients are there; ``waited`` of the time was spent on data."""
        if self._cuda:
            self._record(1)
        else:
            now = time.perf_counter()
            self._gradients += now - self._mark - waited
            self._mark = now

    def updated(self) -> None:
        """Its update is done."""
        if self._cuda:
            self._record(2)
        else:
            self._update += time.perf_counter() - self._mark

    def _record(self, place: int) -> None:
        if len(self._events) != place:
            return  # this stretch has its sample
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        self._events.append(event)

    def close(self, steps: int) -> Split | list[torch.cuda.Event]:
        """End a stretch of ``steps``: their mean, or the events to read it from later."""
        if self._cuda:
            events, self._events = self._events, []
            return events
        found = Split(self._gradients / steps, self._update / steps)
        self._gradients = self._update = 0.0
        return found


def read(split: Split | list[torch.cuda.Event]) -> Split:
    """The split, from events that have been passed where it is those."""
    if isinstance(split, Split):
        return split
    if len(split) < 3:  # the step that was to be timed ran out of memory
        return Split(0.0, 0.0)
    start, computed, updated = split
    return Split(start.elapsed_time(computed) / 1e3, computed.elapsed_time(updated) / 1e3)
