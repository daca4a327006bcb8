"""Steps that must not be taken: bad gradients, empty batches, spikes, too little memory."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from typedtorch.data import Batch
from typedtorch.training import (
    Callback,
    CheckpointStore,
    LossSum,
    NonFiniteError,
    OutOfMemory,
    Trainer,
)

from .parts import Notes, Tiny, ignoring_loss, make_trainer, ragged, same, token_batches, token_loss, weights

# --- NaN and infinity: never applied


def poison(at: set[int], value: float = math.nan) -> Any:
    """A loss whose gradient is bad at the given calls."""
    calls = [0]

    def loss(model: nn.Module, batch: Any) -> LossSum:
        total, items = token_loss(model, batch)
        calls[0] += 1
        if calls[0] in at:
            total = total + (model.get_parameter("out.weight") * value).sum()
        return LossSum(total, items)

    return loss


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_bad_gradient_is_not_applied_and_named(value: float) -> None:
    trainer = make_trainer(loss=poison({3}, value), steps=8)
    before: list[list[Tensor]] = []

    class Keep(Callback):
        def on_step(self, trainer: Trainer, /) -> None:
            before.append(weights(trainer))

    trainer = make_trainer(loss=poison({3}, value), steps=8, others={"callbacks": [Keep()]})
    with pytest.raises(
        NonFiniteError, match=r"step 3: the loss is .*, the gradient of out\.weight has (nan|inf)"
    ):
        trainer.fit()
    assert len(before) == 2
    assert same(weights(trainer), before[-1])


def test_a_bad_step_can_be_skipped() -> None:
    notes = Notes()
    trainer = make_trainer(loss=poison({3, 5}), steps=8, nonfinite="skip", others={"display": notes})
    result = trainer.fit()
    assert (result.step, trainer.skipped) == (8, 2)
    assert sum("was not applied" in note for note in notes.notes) == 2
    assert all(bool(p.isfinite().all()) for p in trainer.model.parameters())


def test_skipping_has_an_end() -> None:
    trainer = make_trainer(loss=poison(set(range(2, 100))), steps=50, nonfinite="skip", patience=4)
    with pytest.raises(NonFiniteError, match=r"step 5: .*, 4 steps in a row"):
        trainer.fit()


def test_a_bad_step_can_go_back_to_the_checkpoint_with_other_data(tmp_path: Path) -> None:
    notes = Notes()
    store = CheckpointStore(tmp_path)
    trainer = make_trainer(
        loss=poison({6}),
        steps=8,
        nonfinite="rollback",
        save_every=4,
        others={"display": notes, "store": store},
    )
    result = trainer.fit()
    assert result.step == 8
    assert trainer.rollbacks == 1
    assert any("rolled back to step 4 (step-00000004); the data continues" in note for note in notes.notes)
    assert trainer.source.state_dict()["position"] == 10 * 4  # 6 steps, then 4 more


def test_going_back_without_a_checkpoint_is_an_error() -> None:
    with pytest.raises(NonFiniteError, match="no checkpoint to go back to"):
        make_trainer(loss=poison({2}), nonfinite="rollback").fit()


@pytest.mark.parametrize("precision", ["fp32", "fp16"])
@pytest.mark.parametrize("as_tensor", [True, False])
def test_a_batch_in_which_nothing_counts_changes_nothing(as_tensor: bool, precision: str) -> None:
    empty = ragged(next(token_batches()), [0, 0, 0, 0])

    def loss(model: nn.Module, batch: Any) -> LossSum:
        total, items = ignoring_loss(model, batch)
        return LossSum(total, items if as_tensor else int(items))

    trainer = make_trainer(batches=[empty], loss=loss, steps=3, nonfinite="skip", precision=precision)
    before = weights(trainer)
    trainer.fit()
    assert trainer.skipped == 3
    assert same(weights(trainer), before)


@pytest.mark.parametrize("nonfinite", ["raise", "skip", "rollback"])
@pytest.mark.parametrize("accumulate", [1, 2])
def test_training_goes_on_past_a_batch_in_which_nothing_counts(nonfinite: str, accumulate: int) -> None:
    """As if it had not been there; a step of which a part counts is one like any other."""
    stream = token_batches()
    full = [next(stream) for _ in range(4)]
    empty = ragged(full[0], [0, 0, 0, 0])

    def trained(batches: list[Batch], steps: int) -> Trainer:
        torch.manual_seed(0)
        trainer = make_trainer(
            model=Tiny(p=0.0),
            batches=batches,
            loss=ignoring_loss,
            steps=steps,
            accumulate=accumulate,
            nonfinite=nonfinite,
        )
        trainer.schedule = None  # it would go on at an empty step
        trainer.fit()
        return trainer

    blank = [empty] * accumulate
    found = trained([*blank, *full[:2], *blank, *full[2:], *blank], 3 + 4 // accumulate)
    wanted = trained(full, 4 // accumulate)
    assert found.skipped == 3
    assert same(weights(found), weights(wanted))
    if accumulate == 2:
        half = trained([empty, full[1], full[2], empty], 2)
        assert half.skipped == 0
        assert not same(weights(half), weights(wanted))


def test_batches_in_which_nothing_counts_come_to_an_end() -> None:
    empty = ragged(next(token_batches()), [0, 0, 0, 0])
    trainer = make_trainer(batches=[empty], loss=ignoring_loss, steps=9, patience=3)
    with pytest.raises(NonFiniteError, match="step 3: no item in the batch counts, 3 steps in a row"):
        trainer.fit()


@pytest.mark.parametrize("as_tensor", [True, False])
@pytest.mark.parametrize("accumulate", [1, 2])
def test_a_count_may_be_a_sum_of_weights(as_tensor: bool, accumulate: int) -> None:
    batch = next(token_batches())

    def weighted(model: nn.Module, batch: Any) -> LossSum:
        total, items = token_loss(model, batch)
        share = 2**-7  # of each item: together they weigh less than 1
        return LossSum(total * share, torch.tensor(items * share) if as_tensor else items * share)

    whole = make_trainer(batches=[batch], accumulate=accumulate)
    losses = whole.fit().losses
    light = make_trainer(batches=[batch], accumulate=accumulate, loss=weighted)
    assert light.fit().losses == losses
    assert same(weights(light), weights(whole))


def with_garbage(at: int, count: int = 34) -> list[Batch]:
    """Batches of which one is not of this text: every target is something else than it should be."""
    stream = token_batches(32)
    batches = [next(stream) for _ in range(count)]
    inputs, targets = batches[at]
    batches[at] = Batch(inputs, (targets + 31) % 61)
    return batches


def test_a_spike_of_the_loss_is_reported_and_training_goes_on() -> None:
    notes = Notes()
    trainer = make_trainer(
        batches=with_garbage(22), model=Tiny(32, p=0.0), steps=26, spike=6.0, others={"display": notes}
    )
    losses = trainer.fit().losses
    assert losses[22] > max(losses[:22])  # it is one
    assert [note.split(":")[0] for note in notes.notes] == ["loss spike at step 23"]
    assert trainer.step == 26
    assert trainer.rollbacks == 0


def test_a_spike_can_be_gone_back_from_and_its_batch_left_out(tmp_path: Path) -> None:
    """Whoever went back ends bit for bit where they are who never saw what lies between."""
    notes, batches = Notes(), with_garbage(22)
    trainer = make_trainer(
        batches=batches, width=32, steps=24, spike=6.0, nonfinite="rollback", save_every=5,
        others={"display": notes, "store": CheckpointStore(tmp_path)},
    )  # fmt: skip
    trainer.fit()
    assert trainer.rollbacks == 1
    assert any("rolled back to step 20 (step-00000020); the data continues" in note for note in notes.notes)
    spared = make_trainer(batches=[*batches[:20], *batches[23:]], width=32, steps=24)
    spared.fit()
    assert same(weights(trainer), weights(spared))


def test_what_was_evaluated_before_going_back_is_evaluated_again(tmp_path: Path) -> None:
    seen: list[list[Tensor]] = []

    def evaluate(model: nn.Module, stop: Any, /) -> dict[str, float]:
        seen.append([p.detach().clone() for p in model.parameters()])
        return {"loss": 0.0}

    class Back(Callback):
        def on_log(self, trainer: Trainer, record: Any, /) -> None:
            if trainer.step == 6 and not trainer.rollbacks:
                trainer.faults.roll_back("a spike", before=2)

    others = {"store": CheckpointStore(tmp_path, keep=9), "evaluate": evaluate, "callbacks": [Back()]}
    trainer = make_trainer(steps=8, save_every=2, eval_every=4, others=others)
    trainer.fit()
    assert trainer.rollbacks == 1
    assert len(seen) == 3  # step 4, step 4 of the other way, step 8
    assert not same(seen[0], seen[1])


def test_a_spike_without_a_checkpoint_to_go_back_to_is_an_error() -> None:
    trainer = make_trainer(
        batches=with_garbage(22), model=Tiny(32, p=0.0), steps=26, spike=6.0, nonfinite="rollback"
    )
    with pytest.raises(NonFiniteError, match=r"loss spike at step 23: .*no checkpoint to go back to"):
        trainer.fit()


# --- memory


def greedy(limit: int) -> Any:
    def loss(model: nn.Module, batch: Any) -> LossSum:
        if len(batch.inputs) > limit:
            raise torch.OutOfMemoryError(f"tried to allocate {len(batch.inputs)} rows")
        return token_loss(model, batch)

    return loss


def test_out_of_memory_is_reported_with_what_to_do() -> None:
    trainer = make_trainer(loss=greedy(3))
    with pytest.raises(
        OutOfMemory, match=r"step 1: a micro-batch of 24 items does not fit: .*smaller micro_batch"
    ):
        trainer.fit()


def test_out_of_memory_can_halve_the_micro_batch_and_keep_the_step() -> None:
    notes = Notes()
    model = Tiny(p=0.0)
    start = [p.detach().clone() for p in model.parameters()]
    halved = make_trainer(model=model, loss=greedy(1), steps=4, halve_on_oom=True, others={"display": notes})
    losses = halved.fit().losses
    assert halved.accumulate == 4
    assert len(notes.notes) == 2
    plain_model = Tiny(p=0.0)
    with torch.no_grad():
        for p, value in zip(plain_model.parameters(), start, strict=True):
            p.copy_(value)
    plain = make_trainer(model=plain_model, steps=4)
    assert losses == pytest.approx(plain.fit().losses, abs=1e-5)
    assert halved.source.state_dict() == plain.source.state_dict()
