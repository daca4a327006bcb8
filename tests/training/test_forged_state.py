"""A checkpoint that holds may have been written by anybody: whatever it says, a clear refusal or a run."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

from typedtorch import optim
from typedtorch.training import Callback, CheckpointMismatch, NonFiniteError, Trainer
from typedtorch.training.form import generator_problems, unlike
from typedtorch.training.seed import capture_rng

from .parts import make_trainer, same, token_batches, weights

REMOVED = object()
FORGED = [None, -5, "x", 3.5, [], {}, {"a": 1}, torch.zeros(3), torch.zeros(0), True, 10**30, REMOVED, (1, 2)]
OPTIMIZERS: dict[str, Any] = {
    "torch": lambda model: torch.optim.AdamW(model.parameters(), lr=0.05, fused=True),
    "ours": lambda model: optim.AdamW(model.parameters(), lr=0.05),
}


def trainer(kind: str = "torch", **changes: Any) -> Trainer:
    """With every item a state can have."""
    return make_trainer(ema=0.9, precision="fp16", optimizer=OPTIMIZERS[kind], **changes)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value inside, of a long list to the first ones."""
    if path:
        yield path
    inside = dict(enumerate(value[:3])) if isinstance(value, list | tuple) else value
    for key, item in inside.items() if isinstance(inside, dict) else ():
        yield from places(item, (*path, key))


def forged(value: Any, path: tuple[Any, ...], new: object) -> Any:
    """The state with another value at one place."""
    key, rest = path[0], path[1:]
    items = dict(value) if isinstance(value, dict) else dict(enumerate(value))
    if not rest and new is REMOVED:
        del items[key]
    else:
        items[key] = forged(items[key], rest, new) if rest else copy.deepcopy(new)
    return items if isinstance(value, dict) else type(value)(items.values())


def everything(found: Trainer) -> list[torch.Tensor]:
    assert found.ema is not None
    return [*weights(found), *(t.clone() for t in found.ema.averages)]


@pytest.mark.parametrize("kind", OPTIMIZERS)
@pytest.mark.parametrize(
    "item", ["model", "optimizer", "counters", "rng", "data", "scaler", "ema", "identity", "parameters"]
)
def test_a_value_of_another_kind_is_refused_or_trained_with_and_nothing_is_half_done(
    item: str, kind: str
) -> None:
    first = trainer(kind, steps=3)
    first.fit()
    state = first.detached_state()
    refused = 0
    for path in places(state[item], (item,)):
        for new in FORGED:
            fresh = trainer(kind, seed=7, steps=4)
            before, settings = everything(fresh), repr(fresh.optimizer.state_dict())
            position = fresh.source.state_dict()
            forgery = forged(copy.deepcopy(state), path, new)
            if fresh.snapshot.problems(forgery):
                refused += 1
                with pytest.raises(CheckpointMismatch, match=r"^somewhere: expected the state of this run"):
                    fresh.load_state_dict(forgery, path="somewhere")
                assert same(everything(fresh), before), (path, new)
                assert repr(fresh.optimizer.state_dict()) == settings, (path, new)
                assert (fresh.step, fresh.source.state_dict()) == (0, position), (path, new)
                continue
            fresh.load_state_dict(forgery)
            with contextlib.suppress(NonFiniteError):  # what was believed is good for a step, if a bad one
                fresh.fit()
    assert refused >= 5


class Counting(Callback):
    """Has a state that it takes apart without looking."""

    calls = 0

    def state_dict(self) -> dict[str, Any]:
        return {"calls": self.calls}

    def load_state_dict(self, state: dict[str, Any], /) -> None:
        self.calls = state["calls"] + 0


@pytest.mark.parametrize(
    "forgery", [3, {"0:Counting": 3}, {"0:Counting": {}}, {"0:Counting": {"calls": "x"}}]
)
def test_a_callback_that_refuses_its_state_leaves_all_as_it_was(forgery: object) -> None:
    def made() -> Trainer:
        return make_trainer(steps=3, others={"callbacks": [Counting()]})

    first, fresh = made(), made()
    first.fit()
    before, position = weights(fresh), fresh.source.state_dict()
    with pytest.raises(CheckpointMismatch, match=r"callbacks: cannot be continued, (Type|Key)Error: "):
        fresh.load_state_dict({**first.state_dict(), "callbacks": forgery})
    assert same(weights(fresh), before)
    assert (fresh.step, fresh.source.state_dict()) == (0, position)


def test_more_batches_than_an_epoch_has_are_not_drawn_for_ever() -> None:
    stream = token_batches()
    batches = [next(stream) for _ in range(5)]
    first = make_trainer(batches=batches, steps=3)
    first.fit()
    state = first.state_dict()
    changed = {**state, "data": {**state["data"], "drawn": 10**15}}
    with pytest.raises(CheckpointMismatch, match=f"{10**15} batches were drawn of an epoch that has 5"):
        make_trainer(batches=batches, steps=4).load_state_dict(changed)


@pytest.mark.parametrize("position", [-1, 625, 10**6])
def test_a_generator_that_would_read_beside_its_words_is_refused(position: int) -> None:
    state = capture_rng()
    kind, words, _, *rest = state["numpy"]
    np.random.RandomState().set_state((kind, words, position, *rest))  # numpy itself takes it
    assert generator_problems([{**state, "numpy": (kind, words, position, *rest)}]) == [
        f"rng 0 numpy: expected a generator's state, ValueError: a position of {position} in 624 words"
    ]
    assert generator_problems([state]) == []


def test_the_form_of_plain_values() -> None:
    here = {"a": 1, "b": (1.0, None), "c": False, "d": "x"}
    assert unlike({"a": 2.5, "b": [1, "y"], "c": True, "d": "", "e": 0}, here, "in") == []
    assert unlike({"a": True, "b": (1,), "c": 1}, here, "in") == [
        "in d: missing",
        "in a: expected a number, found True",
        "in b: expected 2 values, found a tuple",
        "in c: expected true or false, found 1",
    ]


@pytest.mark.parametrize("saved", OPTIMIZERS)
@pytest.mark.parametrize("here", OPTIMIZERS)
def test_how_a_step_is_computed_is_chosen_where_it_is_computed(saved: str, here: str) -> None:
    first = trainer(saved, steps=2)
    first.fit()
    resumed = trainer(here, seed=3, steps=3)
    fused = resumed.optimizer.param_groups[0]["fused"]
    resumed.load_state_dict(first.detached_state())
    assert resumed.optimizer.param_groups[0]["fused"] is fused
    assert resumed.fit().step == 3
