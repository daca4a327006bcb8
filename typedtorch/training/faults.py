"""What the loop does when something is wrong: a bad gradient, a spike, not enough memory."""

from __future__ import annotations

import math
import statistics
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from typedtorch.training.apply import Outcome
from typedtorch.training.errors import NonFiniteError, OutOfMemory
from typedtorch.training.figures import Figures

if TYPE_CHECKING:
    from typedtorch.training.checkpoint import State
    from typedtorch.training.trainer import Trainer


def is_out_of_memory(error: RuntimeError) -> bool:
    """Whether a device's allocator gave up; the CPU's has no exception of its own."""
    return isinstance(error, torch.OutOfMemoryError) or "DefaultCPUAllocator" in str(error)


class Faults:
    """The policies of one trainer."""

    def __init__(self, trainer: Trainer) -> None:
        self.trainer = trainer
        self.in_a_row = 0
        self._recent: deque[float] = deque(maxlen=20)
        self._fine = 0
        """The end of the last stretch without a spike."""

    def not_applied(self, outcome: Outcome) -> None:
        """A step was left out: raise, go on, or go back; where nothing counted, in any case go on.

        Raises:
            NonFiniteError: by policy, or because it happened too often.
        """
        t, problem = self.trainer, outcome.problem
        t.skipped += 1
        self.in_a_row += 1
        scaling = t.scaler is not None  # an overflow now and then is how a loss scale is found
        if outcome.is_fault and t.settings.nonfinite == "raise" and not scaling:
            t.log(wait=True)
            raise NonFiniteError(t.step, problem)
        if self.in_a_row >= t.settings.patience:
            raise NonFiniteError(t.step, f"{problem}, {self.in_a_row} steps in a row")
        if not scaling or not outcome.is_fault:
            t.display.note(f"step {t.step}: {problem}; the step was not applied")
            if outcome.is_fault and t.settings.nonfinite == "rollback":
                self.roll_back(problem)

    def roll_back(self, why: str, *, before: int | None = None) -> None:
        """Back to the last checkpoint, with the data going on from here: the bad stretch is left out.

        ``before`` is the last step whose weights are known to be good; checkpoints after the one gone back to
        are removed, for whoever resumes would take them for the newest.

        Raises:
            NonFiniteError: there is no checkpoint, or it was done too often.
        """
        t = self.trainer
        t.rollbacks += 1
        t.saver.wait()  # the newest may be on its way to the disk
        whole = not t.parallel.reads_parts

        def find() -> tuple[str, State] | None:
            if t.store is None or not t.store.saved(before=before):
                return None
            path, state = t.store.latest(whole=whole, before=before)
            return str(path), state

        found = t.parallel.broadcast(t.parallel.by_first(find))
        if found is None or t.rollbacks > t.settings.patience:
            raise NonFiniteError(t.step, f"{why}, and no checkpoint to go back to (or too many times)")
        data, rollbacks, skipped = t.source.state_dict(), t.rollbacks, t.skipped
        path, state = found
        t.load_state_dict({**state, "data": data}, path=path, keep=t.kept)
        t.rollbacks, t.skipped = rollbacks, skipped
        if t.store is not None:
            t.store.forget_after(path)
        t.display.note(f"rolled back to step {t.step} ({Path(path).name}); the data continues")

    def look(self, figures: Figures) -> None:
        """What the figures of a stretch show that the steps themselves did not."""
        self._late_nonfinite(figures)
        self._spike(figures)

    def _late_nonfinite(self, figures: Figures) -> None:
        """On a GPU a bad step is known when its figures arrive; the device did not apply it."""
        t = self.trainer
        if t.device.type != "cuda" or t.scaler is not None:
            return
        bad = [i for i, norm in enumerate(figures.norms) if not math.isfinite(norm)]
        if not bad:
            return
        first = figures.step - len(figures.norms) + bad[0] + 1
        t.skipped += len(bad)
        self.in_a_row = self.in_a_row + len(bad) if len(bad) == len(figures.norms) else len(bad)
        what = f"the gradient is not finite in {len(bad)} of the steps up to {figures.step}"
        if t.settings.nonfinite == "raise" or self.in_a_row >= t.settings.patience:
            raise NonFiniteError(first, what)
        t.display.note(f"step {first}: {what}; those were not applied")
        if t.settings.nonfinite == "rollback":
            self.roll_back(what)

    def _spike(self, figures: Figures) -> None:
        spreads = self.trainer.settings.spike
        if spreads and len(self._recent) >= 5:
            mean, spread = statistics.fmean(self._recent), statistics.pstdev(self._recent)
            if figures.loss > mean + spreads * max(spread, 1e-3 * abs(mean)):
                text = f"loss spike at step {figures.step}: {figures.loss:.4f} after a mean of {mean:.4f}"
                self.trainer.display.note(text)
                if self.trainer.settings.nonfinite == "rollback":
                    self._recent.clear()
                    self.roll_back(text, before=self._fine)
                return
        if math.isfinite(figures.loss):
            self._recent.append(figures.loss)
            self._fine = figures.step

    def out_of_memory(self, error: RuntimeError) -> None:
        """Halve the micro-batch and take the step again, where that is wanted and possible.

        Raises:
            OutOfMemory: saying what did not fit and what to change.
        """
        t = self.trainer
        t.applier.clear()
        if t.device.type == "cuda":
            torch.cuda.empty_cache()
        halve = getattr(t.source, "halve", None)
        if t.parallel.world > 1:  # the others expect this one to read the rows it said
            halve = None
        if not t.settings.halve_on_oom or not callable(halve) or not halve(t.drawn):
            items = t.items // max(t.drawn, 1)
            raise OutOfMemory(
                f"step {t.step + 1}: a micro-batch of {items} items does not fit: {error}; "
                "take a smaller micro_batch (the step stays the same), or halve_on_oom=True"
            ) from error
        t.accumulate *= 2
        t.waited, t.items, t.drawn = 0.0, 0, 0
        t.display.note(f"out of memory: the micro-batch is halved, {t.accumulate} make a step")
