"""Memory in use now, and the peak of a run."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from jaxtyping import Shaped
from torch import Tensor

if TYPE_CHECKING:
    from typedtorch.accounting.measure import StorageTracker
    from typedtorch.training.trainer import Trainer


def memory_in_use(device: torch.device | None) -> int:
    """Bytes in use now: the allocator's on a GPU, the process's resident set on a CPU."""
    if device is not None and device.type == "cuda":
        return torch.cuda.memory_allocated(device)
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


class PeakMemory:
    """The most bytes that the tensors of a run held at once, to compare with the prediction.

    On a GPU that is the allocator's own peak since this was made, above what was in use then. A CPU's
    allocator keeps no such figure: there one step, the second, runs under a tracker of storages (the
    resident set also holds the interpreter, the libraries and whatever was freed).
    """

    how = "storages tracked in one step"

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self._cuda = device.type == "cuda"
        self._before = self._tracked = self._steps = 0
        if self._cuda:
            self.how = "allocator's peak"
            torch.cuda.init()
            torch.cuda.reset_peak_memory_stats(device)
            self._before = torch.cuda.memory_allocated(device)

    def attach(self, trainer: Trainer) -> None:
        """Track a step of this trainer, where that is how it is measured."""
        if not self._cuda:
            trainer.probe = self._step

    def _step(self, trainer: Trainer, step: Callable[[], None]) -> None:
        self._steps += 1
        if self._steps == 1 and trainer.settings.steps - trainer.step > 1:
            step()  # the optimizer's state is made in the first
            return
        trainer.probe = None
        averages = trainer.ema.averages if trainer.ema is not None else []
        inner = getattr(trainer.optimizer, "optim", None)  # where ZeRO keeps its share of the state
        with _tracker()(trainer.model, trainer.optimizer, averages, inner) as tracker:
            step()
        self._tracked = tracker.peak

    def bytes(self) -> int | None:
        """The peak; None where nothing was measured."""
        if self._cuda:
            return torch.cuda.max_memory_allocated(self.device) - self._before
        return self._tracked or None


def _tracker() -> type[StorageTracker]:
    from typedtorch.accounting.measure import StorageTracker  # noqa: PLC0415 - slow to import

    class Tracker(StorageTracker):
        """Also right where a state is divided: counts the parts that are here, and what FSDP emptied not."""

        peak: int

        def add(self, value: Any) -> None:
            before = self.peak
            super().add(value)
            # a storage that was emptied is still there
            held = sum(s.nbytes() for ref in self._live.values() if (s := ref()) is not None)
            self.peak = max(before, held)

        def _add(self, tensor: Shaped[Tensor, "*shape"]) -> None:
            part: Any = tensor
            super()._add(part.to_local() if hasattr(part, "to_local") else tensor)

    return Tracker
