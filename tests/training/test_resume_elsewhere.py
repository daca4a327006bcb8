"""States of something else are refused with every difference; states that fit go on, whatever changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from typedtorch import optim
from typedtorch.training import (
    CheckpointMismatch,
    CheckpointStore,
    LossSum,
    Trainer,
)

from .parts import Notes, Tiny, make_trainer, same, token_loss, weights

# --- states of something else: every difference listed, nothing changed


def refused(trainer: Trainer, state: dict[str, Any], *lines: str) -> None:
    before = [t.clone() for t in trainer.model.state_dict().values()]
    optimizer_before = repr(trainer.optimizer.state_dict())
    with pytest.raises(CheckpointMismatch) as caught:
        trainer.load_state_dict(state, path="somewhere/step-1")
    text = str(caught.value)
    assert "somewhere/step-1" in text
    for line in lines:
        assert line in text
    assert same(trainer.model.state_dict().values(), before)
    assert repr(trainer.optimizer.state_dict()) == optimizer_before


def test_missing_and_unexpected_weights_are_all_listed() -> None:
    state = make_trainer().state_dict()
    model = {k: v for k, v in state["model"].items() if not k.startswith("out.")}
    changed = {**state, "model": {**model, "extra.a": torch.ones(1), "extra.b": torch.ones(1)}}
    refused(
        make_trainer(),
        changed,
        "missing: out.weight",
        "missing: out.bias",
        "unexpected: extra.a",
        "unexpected: extra.b",
        "4 difference(s)",
    )


def test_shapes_are_compared_together_and_before_any_is_copied() -> None:
    state = make_trainer(width=4).state_dict()
    refused(
        make_trainer(),
        state,
        "embedding.weight: expected shape (61, 8), found (61, 4)",
        "out.weight: expected shape (61, 8), found (61, 4)",
    )


def test_another_dtype_is_refused() -> None:
    state = make_trainer().state_dict()
    model = {**state["model"], "out.bias": state["model"]["out.bias"].double()}
    refused(
        make_trainer(), {**state, "model": model}, "out.bias: expected torch.float32, found torch.float64"
    )


def test_another_models_optimizer_is_refused() -> None:
    wide, trainer = make_trainer(width=4, steps=1), make_trainer(steps=1)
    wide.fit(), trainer.fit()
    refused(
        make_trainer(), {**trainer.state_dict(), "optimizer": wide.state_dict()["optimizer"]},
        "optimizer: exp_avg of parameter 0: expected a shape that fits (61, 8), found (61, 4)",
    )  # fmt: skip


def test_another_kind_of_optimizer_is_refused() -> None:
    state = make_trainer(optimizer=lambda m: torch.optim.SGD(m.parameters(), lr=0.1)).state_dict()
    refused(
        make_trainer(), state, "optimizer: group 0: expected hyperparameters ['betas'], found ['momentum']"
    )


def test_another_number_of_parameters_is_refused() -> None:
    bigger = make_trainer(model=nn.Sequential(Tiny(), nn.Linear(1, 1))).state_dict()
    state = {**make_trainer().state_dict(), "optimizer": bigger["optimizer"]}
    refused(make_trainer(), state, "optimizer: expected groups of [3] parameters, found [5]")


def test_other_data_is_refused() -> None:
    state = make_trainer().state_dict()
    changed = {**state, "data": {**state["data"], "windows": 7, "seed": 9}}
    refused(
        make_trainer(),
        changed,
        "data seed: the saved position is for 9",
        "data windows: the saved position is for 7",
    )


def test_a_changed_configuration_is_shown_as_a_difference() -> None:
    state = make_trainer(others={"identity": {"seq": 6, "data": "abc", "batch": 4}}).state_dict()
    trainer = make_trainer(others={"identity": {"seq": 8, "data": "abd", "batch": 4}})
    refused(
        trainer, state, "seq: saved with 6, now 8", "data: saved with 'abc', now 'abd'", "2 difference(s)"
    )


# --- states that fit although something around them changed


@pytest.mark.parametrize("prefix", ["module.", "_orig_mod.", "module._orig_mod."])
def test_wrappers_prefixes_do_not_matter(prefix: str) -> None:
    first = make_trainer(steps=2)
    first.fit()
    state = first.state_dict()
    resumed = make_trainer(seed=1)
    resumed.load_state_dict({**state, "model": {prefix + k: v for k, v in state["model"].items()}})
    assert same(weights(resumed), weights(first))


def test_what_a_group_says_beside_the_optimizers_own_may_change() -> None:
    def named(layers: object) -> Callable[[nn.Module], torch.optim.Optimizer]:
        return lambda model: torch.optim.AdamW([{"params": list(model.parameters()), "layers": layers}])

    first = make_trainer(steps=2, optimizer=named([1, 2]))
    first.fit()
    resumed = make_trainer(steps=3, optimizer=named("all"))
    resumed.load_state_dict(first.state_dict())
    assert resumed.fit().step == 3


def test_a_compiled_model_saves_plain_names() -> None:
    trainer = make_trainer(model=torch.compile(Tiny()))
    assert set(trainer.state_dict()["model"]) == set(Tiny().state_dict())


class Twice(nn.Module):
    """A model whose parts are called as wrappers call theirs, and have parameters of the same names."""

    def __init__(self) -> None:
        super().__init__()
        self.module, self.out = Tiny(), nn.Linear(61, 61)

    def forward(self, tokens: Tensor) -> Tensor:
        found: Tensor = self.out(self.module(tokens))
        return found


WRAPS: dict[str, Callable[[nn.Module], nn.Module]] = {
    "plain": lambda model: model,
    "compiled": lambda model: torch.compile(model, backend="eager"),
    "data parallel": nn.DataParallel,
    "both": lambda model: nn.DataParallel(torch.compile(model, backend="eager")),
}


@pytest.mark.parametrize("there", WRAPS)
@pytest.mark.parametrize("here", WRAPS)
def test_a_part_that_is_called_module_is_no_wrapper(here: str, there: str, tmp_path: Path) -> None:
    first = make_trainer(steps=2, ema=0.9, model=WRAPS[there](Twice()))
    first.fit()
    assert set(first.state_dict()["model"]) == set(Twice().state_dict())
    CheckpointStore(tmp_path).save(2, first.state_dict())
    resumed = make_trainer(steps=4, ema=0.9, model=WRAPS[here](Twice()))
    resumed.load_state_dict(CheckpointStore(tmp_path).latest()[1])
    assert same(weights(resumed), weights(first))
    assert resumed.ema is not None
    assert first.ema is not None
    assert same(resumed.ema.averages, first.ema.averages)
    assert resumed.fit().step == 4


def test_a_checkpoint_from_a_gpu_continues_on_a_cpu_bit_for_bit(tmp_path: Path) -> None:
    """What a GPU leaves in a checkpoint that a CPU does not: torch's fused optimizer, and its generators.

    The tensors of a file have no device. (On a GPU the test of this name there is of the whole way.)
    """
    first = make_trainer(steps=2, ema=0.9)  # torch's own AdamW, fused
    first.fit()
    state = first.state_dict()
    gpu = {"cuda": [torch.zeros(16, dtype=torch.uint8)] * 8}
    store = CheckpointStore(tmp_path)
    store.save(2, {**state, "rng": [{**state["rng"][0], **gpu}]})
    assert state["optimizer"]["param_groups"][0]["fused"] is True
    resumed = make_trainer(
        seed=3, steps=4, ema=0.9, optimizer=lambda model: optim.AdamW(model.parameters(), lr=0.05)
    )
    resumed.load_state_dict(store.latest()[1])
    resumed.fit()
    whole = make_trainer(steps=4, ema=0.9)
    whole.fit()
    assert same(weights(resumed), weights(whole))


def test_a_state_of_more_processes_continues_in_one() -> None:
    first = make_trainer(steps=2)
    first.fit()
    state = first.state_dict()
    resumed = make_trainer(seed=3, steps=3)
    resumed.load_state_dict({**state, "rng": state["rng"] * 4})
    assert resumed.step == 2
    resumed.fit()


@pytest.mark.parametrize("kind", ["list", "generator function", "loader"])
def test_any_iterable_continues_where_it_was(kind: str) -> None:
    data = [torch.tensor([[i % 61, (i * 7) % 61]]) for i in range(5)]

    class Pairs:
        def __iter__(self) -> Any:
            return iter(data)

    make: dict[str, Callable[[], Any]] = {
        "list": lambda: data,
        "generator function": Pairs,
        "loader": lambda: torch.utils.data.DataLoader(data, batch_size=None, shuffle=False),  # type: ignore[arg-type]  # a list will do
    }

    def loss(model: nn.Module, batch: Any) -> Tensor:
        return nn.functional.cross_entropy(model(batch[:, :1]).flatten(0, 1), batch[:, 1:].flatten())

    def trainer(**changes: Any) -> Trainer:
        return make_trainer(batches=make[kind](), loss=loss, **changes)

    expected = trainer(steps=13).fit().losses
    first = trainer(steps=7)
    losses = first.fit().losses
    state = first.state_dict()
    resumed = trainer(seed=4, steps=13)
    resumed.load_state_dict(state)
    assert losses + resumed.fit().losses == expected


@pytest.mark.parametrize(
    ("make", "lines"),
    [
        (
            lambda model: optim.Adam(model.parameters(), lr=0.01, weight_decay=0.5),
            ["optimizer: group 0 decoupled_weight_decay: False -> True, as saved"],
        ),
        (
            lambda model: optim.AdamW(model.parameters(), lr=1.0, weight_decay=0.5, amsgrad=True),
            [
                "optimizer: group 0 amsgrad: True -> False, as saved",
                "optimizer: group 0 lr: 1.0 -> 0.01, as saved",
            ],
        ),
    ],
)
def test_what_a_saved_state_replaces_is_said(
    make: Callable[[nn.Module], torch.optim.Optimizer], lines: list[str]
) -> None:
    first = make_trainer(optimizer=lambda m: optim.AdamW(m.parameters(), lr=0.01, weight_decay=0.5), steps=2)
    first.schedule = None
    first.fit()
    notes = Notes()
    again = make_trainer(optimizer=make, others={"display": notes})
    again.schedule = None  # which would decide the rate
    again.load_state_dict(first.detached_state())
    assert sorted(notes.notes) == lines


def test_an_adam_that_goes_on_as_adamw_says_how_it_was_saved() -> None:
    first = make_trainer(optimizer=lambda m: optim.Adam(m.parameters(), weight_decay=0.5), steps=2)
    first.fit()
    notes = Notes()
    again = make_trainer(
        optimizer=lambda m: optim.AdamW(m.parameters(), weight_decay=0.5), others={"display": notes}
    )
    again.load_state_dict(first.detached_state())
    assert notes.notes == ["optimizer: group 0 decoupled_weight_decay: True, saved with False"]


def test_hyperparameters_may_be_kept() -> None:
    first = make_trainer(optimizer=lambda m: optim.AdamW(m.parameters(), weight_decay=0.5), steps=2)
    first.fit()
    notes = Notes()
    again = make_trainer(
        optimizer=lambda m: optim.AdamW(m.parameters(), weight_decay=0.1), others={"display": notes}
    )
    again.load_state_dict(first.detached_state(), keep=["weight_decay"])
    assert (notes.notes, again.optimizer.param_groups[0]["weight_decay"]) == ([], 0.1)
    again.load_state_dict(first.detached_state(), keep="weight_decay")  # a name, not its letters
    assert again.optimizer.param_groups[0]["weight_decay"] == 0.1
    again.load_state_dict(first.detached_state())
    assert again.optimizer.param_groups[0]["weight_decay"] == 0.5
    with pytest.raises(ValueError, match=r"keep: expected names out of .*, got decay"):
        again.load_state_dict(first.detached_state(), keep=["decay"])


def test_what_was_kept_outlives_a_rollback(tmp_path: Path) -> None:
    def trainer(decay: float, **others: Any) -> Trainer:
        return make_trainer(
            optimizer=lambda m: optim.AdamW(m.parameters(), weight_decay=decay),
            others={"store": CheckpointStore(tmp_path)}, **others,
        )  # fmt: skip

    trainer(0.5, steps=2).fit()
    calls = [0]

    def loss(model: nn.Module, batch: Any, /) -> LossSum:
        calls[0] += 1
        total, items = token_loss(model, batch)
        return LossSum(total * (float("nan") if calls[0] == 2 else 1.0), items)

    again = trainer(0.1, steps=5, loss=loss, nonfinite="rollback")
    path, state = CheckpointStore(tmp_path).latest()
    again.load_state_dict(state, path=str(path), keep=["weight_decay"])
    again.fit()
    assert (again.rollbacks, again.optimizer.param_groups[0]["weight_decay"]) == (1, 0.1)
