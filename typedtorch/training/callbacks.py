"""Hooks into the loop: subclass :class:`Callback` and override what is needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Protocol

from typedtorch.training.errors import CallbackError
from typedtorch.training.given import HOOKS, several

if TYPE_CHECKING:
    from pathlib import Path

    from typedtorch.training.trainer import Trainer


class Hooks(Protocol):
    """The methods that the :class:`~typedtorch.training.Trainer` calls; any of them may be missing.

    :class:`Callback` documents each and is a base class in which all of them do nothing.
    """

    def on_start(self, trainer: Trainer, /) -> None: ...
    def on_step(self, trainer: Trainer, /) -> None: ...
    def on_log(self, trainer: Trainer, record: Mapping[str, object], /) -> None: ...
    def on_evaluate(self, trainer: Trainer, figures: Mapping[str, float], /) -> None: ...
    def on_save(self, trainer: Trainer, path: Path, /) -> None: ...
    def on_end(self, trainer: Trainer, /) -> None: ...
    def state_dict(self) -> dict[str, Any]: ...
    def load_state_dict(self, state: dict[str, Any], /) -> None: ...


class Callback:
    """Base class of what a :class:`~typedtorch.training.Trainer` calls; no method does anything by itself.

    A class that does not derive from it but has some of its methods serves as well.

    A method ends the run by setting ``trainer.should_stop = "why"``. An exception ends the run with a
    :class:`~typedtorch.training.errors.CallbackError` that names the callback and the method.
    """

    def on_start(self, trainer: Trainer, /) -> None:
        """Before the first step."""

    def on_step(self, trainer: Trainer, /) -> None:
        """After each step, skipped ones included; ``trainer.step`` counts them all."""

    def on_log(self, trainer: Trainer, record: Mapping[str, object], /) -> None:
        """After a record of figures was made, every ``log_every`` steps."""

    def on_evaluate(self, trainer: Trainer, figures: Mapping[str, float], /) -> None:
        """After an evaluation.

        A resumed run repeats that of its step: a callback whose state has heard of it is not told again.
        """

    def on_save(self, trainer: Trainer, path: Path, /) -> None:
        """After a checkpoint is on the disk."""

    def on_end(self, trainer: Trainer, /) -> None:
        """After the last step, also when a signal ended the run."""

    def state_dict(self) -> dict[str, Any]:
        """What this callback needs to continue; saved with the checkpoint."""
        return {}

    def load_state_dict(self, state: dict[str, Any], /) -> None:
        """Continue where ``state`` was taken."""


def _check_names(kind: type) -> None:
    """Refuse a method that is named almost like a hook, where the class does not have that hook itself.

    Raises:
        TypeError: nobody would call it.
    """
    for name in dir(kind):
        if name in HOOKS or not name.startswith("on_"):
            continue
        for hook in get_close_matches(name, HOOKS, n=1, cutoff=0.8):
            if getattr(kind, hook, None) in (None, getattr(Callback, hook)):
                raise TypeError(f"callbacks: {kind.__name__} has {name}, which nothing calls; is it {hook}?")


_EVALUATED = "evaluated"


class Callbacks:
    """Several callbacks called in order, with errors attributed."""

    def __init__(self, callbacks: Iterable[Hooks]) -> None:
        self.all: list[Any] = several("callbacks", callbacks, HOOKS)
        for callback in self.all:
            _check_names(type(callback))
        # Methods nobody overrides are not called: a step of a small model takes less than the calls would.
        self._overriding = {
            hook: [c for c in self.all if getattr(type(c), hook, None) not in (None, getattr(Callback, hook))]
            for hook in HOOKS
        }
        self.on_step = self._overriding["on_step"]
        self._evaluated_at, self._continued = -1, frozenset[int]()

    def evaluated(self, trainer: Trainer, figures: Mapping[str, float]) -> None:
        """Call ``on_evaluate`` on each callback.

        A resumed run repeats the evaluation of its step; a callback whose saved state has heard of that
        evaluation is not told twice.

        Raises:
            CallbackError: one of them raised.
        """
        heard = self._continued if self._evaluated_at == trainer.step else frozenset[int]()
        self._evaluated_at = trainer.step
        self.call("on_evaluate", trainer, figures, but=heard)

    def call(self, hook: str, *arguments: Any, but: frozenset[int] = frozenset()) -> None:
        """Call ``hook`` on each callback, except those with an id in ``but``.

        Raises:
            CallbackError: one of them raised.
        """
        for callback in self._overriding[hook]:
            if id(callback) in but:
                continue
            try:
                getattr(callback, hook)(*arguments)
            except Exception as error:
                step = getattr(arguments[0], "step", "?")
                raise CallbackError(
                    f"callback {type(callback).__name__}.{hook} failed at step {step}: "
                    f"{type(error).__name__}: {error}"
                ) from error

    def state_dict(self) -> dict[str, Any]:
        """Each callback's state, by its place and class, and the step of the last evaluation."""
        states: list[dict[str, Any]] = [getattr(callback, "state_dict", dict)() for callback in self.all]
        kept: dict[str, Any] = {
            f"{i}:{type(c).__name__}": s for i, (c, s) in enumerate(zip(self.all, states, strict=True)) if s
        }
        return {**kept, _EVALUATED: self._evaluated_at} if kept else {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Give each callback its state back.

        Raises:
            TypeError: ``state`` is not a mapping of states.
        """
        if not isinstance(state, Mapping):
            raise TypeError(f"expected a state for each callback, found a {type(state).__name__}")
        self._evaluated_at = state.get(_EVALUATED, -1)
        found = {i: state.get(f"{i}:{type(callback).__name__}") for i, callback in enumerate(self.all)}
        for i, saved in found.items():
            if saved is not None:
                self.all[i].load_state_dict(saved)
        self._continued = frozenset(id(self.all[i]) for i, saved in found.items() if saved is not None)


class EarlyStop(Callback):
    """Stop when ``figure`` has not improved by ``margin`` over ``patience`` evaluations.

    Raises:
        ValueError: ``patience`` is less than 1, or an evaluation gives no such figure.
    """

    def __init__(self, figure: str = "loss", *, patience: int = 3, margin: float = 0.0) -> None:
        if patience < 1:
            raise ValueError(f"patience: expected at least 1, got {patience}")
        self.figure, self.patience, self.margin = figure, patience, margin
        self.best, self.waited = float("inf"), 0

    def on_start(self, trainer: Trainer, /) -> None:
        """A run that was stopped and is resumed stays so."""
        self._judge(trainer)

    def on_evaluate(self, trainer: Trainer, figures: Mapping[str, float], /) -> None:
        """Compare with the best so far."""
        if self.figure not in figures:
            raise ValueError(f"expected a figure {self.figure!r}, the evaluation gave {', '.join(figures)}")
        value = figures[self.figure]
        if value < self.best - self.margin:
            self.best, self.waited = value, 0
            return
        self.waited += 1
        self._judge(trainer)

    def _judge(self, trainer: Trainer) -> None:
        if self.waited >= self.patience:
            trainer.should_stop = f"{self.figure} has not improved for {self.waited} evaluations"

    def state_dict(self) -> dict[str, Any]:
        """The best value and the evaluations since."""
        return {"best": self.best, "waited": self.waited}

    def load_state_dict(self, state: dict[str, Any], /) -> None:
        """Continue counting."""
        self.best, self.waited = state["best"], state["waited"]
