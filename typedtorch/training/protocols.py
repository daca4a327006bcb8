"""The types of the trainer's parts, and of its result."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from torch import nn

from typedtorch.training.figures import Figures

Schedule = Callable[[int], float]
Stop = Callable[[], bool]
ModelT = TypeVar("ModelT", bound=nn.Module)
# figures of a model; ``stop()`` turning true asks for an early return of nothing
Stoppable = Callable[[ModelT, Stop], Mapping[str, float]]
Evaluate = Callable[[ModelT], Mapping[str, float]] | Stoppable[ModelT]


class After:
    """A :data:`Stop` that turns true when it has been asked ``count`` times: in every process at once.

    >>> stop = After(2); stop(), stop(), stop()
    (False, False, True)
    """

    def __init__(self, count: int) -> None:
        self.left = count

    def __call__(self) -> bool:
        self.left -= 1
        return self.left < 0


class Display(Protocol):
    """Shows a person how a run is going."""

    def figures(self, figures: Figures, /) -> None: ...
    def note(self, text: str, /) -> None: ...


class Quiet:
    """A display that shows notes only, on standard error."""

    def figures(self, figures: Figures, /) -> None:
        """Nothing."""

    def note(self, text: str, /) -> None:
        """One line."""
        with contextlib.suppress(OSError):  # the terminal has gone; the run goes on
            print(text, file=sys.stderr)


@dataclass
class FitResult:
    """How :meth:`Trainer.fit` ended.  Lists begin where this process began, after a resume not at step 0."""

    step: int
    """Optimizer steps done, those before a resume included."""
    stopped: str
    """Why it ended: ``"steps"`` where all were done."""
    losses: list[float] = field(default_factory=list)
    """The loss of each step."""
    figures: list[Figures] = field(default_factory=list)
    """The figures of each stretch of ``log_every`` steps."""
    evaluations: dict[int, dict[str, float]] = field(default_factory=dict)
    """What each evaluation found, by its step."""
