"""The complete state of a run: taken, compared with a saved one, and restored as a whole or not at all."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from torch import Tensor

from typedtorch.optim.facade import lay_out
from typedtorch.training import beside, divided, numbering
from typedtorch.training.errors import CheckpointMismatch
from typedtorch.training.form import counter_problems, generator_problems, scaler_problems
from typedtorch.training.restore import (
    check_names,
    hyperparameters,
    model_problems,
    replaced,
    with_own_choices,
)
from typedtorch.training.seed import capture_rng, restore_rng
from typedtorch.training.shards import KEY

if TYPE_CHECKING:
    from typedtorch.training.trainer import Trainer

ITEMS = ("model", "optimizer", "counters", "rng", "data")
"""What every state has; ``ema``, ``scaler``, ``callbacks`` and ``beside`` join where the run has them."""

_WHY_MISSING = {
    "scaler": " (it was not trained in fp16)",
    "ema": " (it was trained without an average of the weights)",
    beside.KEY: " (what the optimizer trains beside the model)",
}


class Snapshot:
    """Takes and restores the state of one trainer.

    ``identity`` are plain values that have to be the same on both sides: what was trained on what.
    """

    def __init__(self, trainer: Trainer, identity: Mapping[str, Any]) -> None:
        self.trainer, self.identity = trainer, dict(identity)

    def take(self) -> dict[str, Any]:
        """Every item of the state; the tensors are the live ones, not copies."""
        t = self.trainer
        state = {
            "model": t.parallel.model_state(t.model),
            "optimizer": t.parallel.optimizer_state(t.model, t.optimizer),
            **self.common(),
        }
        return {**state, "ema": t.ema.state_dict()} if t.ema is not None else state

    def common(self) -> dict[str, Any]:
        """The items that are not divided between processes."""
        t = self.trainer
        state: dict[str, Any] = {
            "counters": {
                "step": t.step, "items": t.meter.items + t.meter.uncounted, "skipped": t.skipped,
                "rollbacks": t.rollbacks, "world": t.parallel.world,
            },
            "rng": t.parallel.gather(capture_rng()),
            "data": t.source.state_dict(),
            "callbacks": t.callbacks.state_dict(),
            "identity": self.identity,
            numbering.KEY: numbering.parameter_names(t.model, t.optimizer),
        }  # fmt: skip
        if others := self._beside():
            state[beside.KEY] = [param.detach() for param in others]
        return {**state, "scaler": t.scaler.state_dict()} if t.scaler is not None else state

    def _beside(self) -> list[Tensor]:
        return beside.trained_beside(self.trainer.model, self.trainer.optimizer)

    def problems(self, state: object) -> list[str]:
        """Every way in which ``state`` is not this run's, one line each."""
        if not isinstance(state, Mapping):
            return [f"expected the items of a state by name, found a {type(state).__name__}"]
        t = self.trainer
        checks: dict[str, Callable[[Any], list[str]]] = {
            "model": lambda found: model_problems(found, t.model),
            "optimizer": lambda found: numbering.problems(
                found, state.get(numbering.KEY), t.model, t.optimizer
            ),
            "counters": counter_problems,
            "rng": generator_problems,
            "data": self._data_problems,
        }
        if t.scaler is not None:
            scaler = t.scaler
            checks["scaler"] = lambda found: scaler_problems(found, scaler.state_dict())
        if t.ema is not None:
            checks["ema"] = t.ema.problems
        if (others := self._beside()) or beside.KEY in state:
            checks[beside.KEY] = lambda found: beside.problems(found, others)
        # first what was chosen otherwise: the rest mostly follows from it
        problems = identity_problems(state.get("identity", {}), self.identity)
        problems += [
            f"missing from the state: {item}{_WHY_MISSING.get(item, '')}"
            for item in checks
            if item not in state
        ]
        return problems + [
            line for item, check in checks.items() if item in state for line in check(state[item])
        ]

    def _data_problems(self, found: Any) -> list[str]:
        """A position in other data: our own sources say so before they are moved."""
        check = getattr(self.trainer.source, "problems", None)
        return list(check(found)) if callable(check) else []

    def restore(self, state: Mapping[str, Any], path: str, keep: Collection[str] = ()) -> list[str]:
        """Compare everything, then put everything back, but for the optimizer's own values of ``keep``.

        What the state has made of the optimizer's other hyperparameters, in words.
        """
        t = self.trainer
        check_names(t.optimizer, keep)
        problems = self.problems(state)
        if problems:
            raise CheckpointMismatch(path, problems)
        settled = {*keep, "lr"} if t.schedule is not None else keep
        before = hyperparameters(t.optimizer, settled)
        self._restore_parts(state, path)
        saved = state["optimizer"]
        numbers = numbering.numbers_here(saved, state.get(numbering.KEY), t.model, t.optimizer)
        optimizer = with_own_choices(numbering.renumbered(saved, numbers), t.optimizer, keep)
        state = {**state, "optimizer": optimizer}
        if KEY in state:
            divided.restore(t, state, numbers)
        else:
            t.parallel.load(t.model, t.optimizer, state)
            if t.ema is not None:
                t.ema.load_state_dict(state["ema"])
        lay_out(getattr(t.optimizer, "optim", t.optimizer).state)  # ZeRO keeps its share inside
        if t.scaler is not None:
            t.scaler.load_state_dict(state["scaler"])
        beside.restore(state.get(beside.KEY, ()), self._beside())
        counters = state["counters"]
        t.step, t.skipped, t.rollbacks = counters["step"], counters["skipped"], counters["rollbacks"]
        t.meter.items = counters["items"]
        # last: putting the rest back may draw from the generators
        generators = state["rng"]
        restore_rng(generators[t.parallel.rank % len(generators)])
        return replaced(before, saved, hyperparameters(t.optimizer, settled))

    def _restore_parts(self, state: Mapping[str, Any], path: str) -> None:
        """The data and the callbacks, whose states only they can judge; undone where one refuses."""
        t = self.trainer
        parts: dict[str, tuple[Any, Any]] = {
            "data": (t.source, state["data"]),
            "callbacks": (t.callbacks, state.get("callbacks", {})),
        }
        done: list[tuple[Any, Any]] = []
        for name, (part, saved) in parts.items():
            done.append((part, copied(part.state_dict())))
            try:
                part.load_state_dict(saved)
            except Exception as error:  # a part of the user's own may refuse in any way
                for each, before in reversed(done):
                    with contextlib.suppress(Exception):  # the first reason is the one to hear
                        each.load_state_dict(before)
                reason = f"{name}: cannot be continued, {type(error).__name__}: {error}"
                raise CheckpointMismatch(path, [reason]) from error

    @contextlib.contextmanager
    def generators_kept(self) -> Iterator[None]:
        """Whatever is drawn inside, the generators continue as if it had not been."""
        before = capture_rng()
        try:
            yield
        finally:
            restore_rng(before)


def identity_problems(saved: object, here: Mapping[str, Any]) -> list[str]:
    """The values that differ, as ``name: saved -> here``."""
    if not isinstance(saved, Mapping):
        return [f"identity: expected names and values, found a {type(saved).__name__}"]
    names = [*saved, *(name for name in here if name not in saved)]
    return [
        f"{name}: saved with {saved.get(name)!r}, now {here.get(name)!r}"
        for name in names
        if isinstance(saved.get(name), Tensor) or saved.get(name) != here.get(name)
    ]


def copied(value: Any) -> Any:
    """A nested state with every tensor cloned.

    >>> import torch
    >>> live = {"a": [torch.zeros(1)]}; kept = copied(live); _ = live["a"][0].add_(1)
    >>> kept
    {'a': [tensor([0.])]}
    """
    if isinstance(value, Tensor):
        return value.detach().clone()
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(copied(item) for item in value)
    return copy.copy(value)
