"""What the processes of a run decide together: when to stop and when to save, at the same step in all."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from typedtorch.training.step import BatchesEnded

if TYPE_CHECKING:
    from typedtorch.training.distributed import Parallel

_SECONDS = 1.0


class Agreed(NamedTuple):
    """What was said in any process."""

    stop: bool
    """A signal came."""
    ended: bool
    """It has a reason of its own to end."""
    save: bool


class Agreement:
    """Asks all processes about once a second, every step where steps are slower than that.

    How often is itself agreed upon, from how long the steps took in all of them, so that all ask at the same.
    """

    def __init__(self, parallel: Parallel, device: torch.device) -> None:
        self._parallel, self._device = parallel, device
        self._turns = self._left = 1
        self._mark = time.perf_counter()

    def ask(self, *, stop: bool, ended: bool, save: bool) -> Agreed | None:
        """Once in each turn of the loop, in every process; None where this is not the turn to talk."""
        self._left -= 1
        if self._left:
            return None
        now = time.perf_counter()
        each = [float(stop), float(ended), float(save), (now - self._mark) / self._turns]
        found = self._parallel.sum(torch.tensor(each, dtype=torch.float64, device=self._device)).tolist()
        self._turns = self._left = turns_until(found[3] / self._parallel.world)
        self._mark = now
        return Agreed(*(count > 0 for count in found[:3]))

    def drawn(self, draw: Callable[[], Any], count: int) -> Callable[[], Any]:
        """The batches of a step, drawn in all processes before any of them computes with its own.

        Raises:
            BatchesEnded: in all processes, where one of them has not enough.
        """
        batches = []
        try:
            batches = [draw() for _ in range(count)]
        except BatchesEnded:
            batches = []
        if any(self._parallel.any([not batches])):
            raise BatchesEnded
        left = iter(batches)
        return lambda: next(left)


def turns_until(seconds: float) -> int:
    """How many turns of so many seconds go by until the next question.

    >>> turns_until(0.01), turns_until(0.7), turns_until(20.0)
    (100, 1, 1)
    """
    return max(1, min(10_000, int(_SECONDS / max(seconds, 1e-9))))
