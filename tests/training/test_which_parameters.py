"""Which parameters a step is about: the optimizer's, whenever they became trainable, and no others."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from typedtorch.optim import clip_by_global_norm
from typedtorch.training import (
    CheckpointMismatch,
    ConfigError,
    LoopSettings,
    LossSum,
    NonFiniteError,
    Trainer,
)
from typedtorch.training.apply import Applier
from typedtorch.training.distributed import Parallel

from .parts import same, weights

Params = Iterable[Tensor]
STEPS = 5


def net() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)).double()


def pairs() -> list[tuple[Tensor, Tensor]]:
    """Batches of unequal sizes, so that no count is the one that the first of them promises."""
    source = torch.Generator().manual_seed(1)
    rows = (3, 5, 2, 7, 4, 1)
    return [(torch.randn(n, 4, generator=source).double(), torch.ones(n, 1).double()) for n in rows]


def squares(model: nn.Module, batch: Any) -> LossSum:
    return LossSum((model(batch[0]) - batch[1]).square().sum(), len(batch[0]))


class Scaled(nn.Module):
    """A loss that learns by how much to scale what the model gives."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones((), dtype=torch.float64))

    def forward(self, model: nn.Module, batch: Any) -> LossSum:
        return LossSum((model(batch[0]) * self.scale - batch[1]).square().sum(), len(batch[0]))


class Unfreeze:
    """Trains the first layer from the second step on."""

    def on_step(self, trainer: Trainer) -> None:
        if trainer.step == 1:
            trainer.model.requires_grad_(True)


def plain_loop(model: nn.Module, loss: Any, params: Params, after: Callable[[int], object]) -> list[float]:
    """What a trainer with two micro-batches and clipping does, written down: the norm at each step."""
    optimizer, batches, norms = torch.optim.SGD(params, lr=0.1), iter(pairs() * 2), []
    for step in range(STEPS):
        model.zero_grad()
        optimizer.zero_grad()
        found = [loss(model, next(batches)) for _ in range(2)]
        (torch.stack([each.total for each in found]).sum() / sum(each.items for each in found)).backward()
        grads = (param.grad for group in optimizer.param_groups for param in group["params"])
        norms.append(clip_by_global_norm(grads, 0.5).norm.item())
        optimizer.step()
        after(step + 1)
    return norms


def trained(model: nn.Module, loss: Any, params: Params, **others: Any) -> Trainer:
    settings = LoopSettings(steps=STEPS, accumulate=2, clip=0.5, log_every=1, handle_signals=False)
    return Trainer(model, loss, pairs(), torch.optim.SGD(params, lr=0.1), settings, **others)


def check(ours: Trainer, model: nn.Module, norms: list[float]) -> None:
    found = [norm for figures in ours.fit().figures for norm in [figures.record()["grad_norm"]]]
    assert found == pytest.approx(norms, rel=1e-6)
    for one, other in zip(weights(ours), model.parameters(), strict=True):
        assert torch.allclose(one, other, rtol=1e-9, atol=1e-12)


def test_layers_that_are_unfrozen_later_are_divided_and_clipped_like_the_others() -> None:
    ours, plain = net(), net()
    ours[0].requires_grad_(False), plain[0].requires_grad_(False)
    norms = plain_loop(
        plain, squares, plain.parameters(), lambda step: step == 1 and plain.requires_grad_(True)
    )
    check(trained(ours, squares, ours.parameters(), callbacks=[Unfreeze()]), plain, norms)


def test_an_unfrozen_layers_bad_gradient_is_named_and_not_applied() -> None:
    model = net()
    model[0].requires_grad_(False)
    trainer = trained(model, squares, model.parameters())
    model.requires_grad_(True)
    next(model.parameters()).register_hook(lambda grad: grad * math.nan)
    before = weights(trainer)
    with pytest.raises(NonFiniteError, match=r"the gradient of 0\.weight has nan"):
        trainer.fit()
    assert same(weights(trainer), before)


def test_parameters_that_the_optimizer_leaves_alone_neither_count_nor_pile_up() -> None:
    ours, plain = net(), net()
    norms = plain_loop(plain, squares, plain[2].parameters(), lambda step: None)
    check(trained(ours, squares, ours[2].parameters()), plain, norms)
    assert all(param.grad is None for param in ours.parameters())


def test_a_gradient_from_before_the_run_is_no_part_of_its_first_step() -> None:
    ours, plain = net(), net()
    squares(ours, pairs()[0]).total.backward()
    norms = plain_loop(plain, squares, plain.parameters(), lambda step: None)
    check(trained(ours, squares, ours.parameters()), plain, norms)


def test_a_parameter_named_twice_is_divided_once() -> None:
    model = net()
    params = [*model.parameters(), next(model.parameters())]
    with pytest.warns(UserWarning, match="duplicate parameters"):
        optimizer = torch.optim.SGD(params, lr=0.0)
    found: list[Tensor] = []
    optimizer.register_step_pre_hook(lambda *_: found.extend(p.grad.clone() for p in model.parameters()))  # type: ignore[union-attr]
    settings = LoopSettings(steps=1, accumulate=2, handle_signals=False)
    Trainer(model, squares, pairs(), optimizer, settings).fit()
    (torch.stack([squares(model, batch).total for batch in pairs()[:2]]).sum() / 8).backward()
    for grad, param in zip(found, model.parameters(), strict=True):
        assert param.grad is not None
        assert torch.allclose(grad, param.grad)


def test_what_the_loss_learns_is_trained_as_the_model_is() -> None:
    ours, plain = net(), net()
    mine, theirs = Scaled(), Scaled()
    norms = plain_loop(plain, theirs, [*plain.parameters(), *theirs.parameters()], lambda step: None)
    check(trained(ours, mine, [*ours.parameters(), *mine.parameters()]), plain, norms)
    assert torch.allclose(mine.scale, theirs.scale, rtol=1e-9)


def scaled_trainer(steps: int, *, scale: Scaled | None = None) -> tuple[Trainer, Scaled]:
    model, loss = net(), scale or Scaled()
    optimizer = torch.optim.SGD([*model.parameters(), *loss.parameters()], lr=0.1, momentum=0.9)
    return Trainer(model, loss, pairs(), optimizer, LoopSettings(steps=steps, handle_signals=False)), loss


def test_what_the_loss_learns_is_part_of_the_state() -> None:
    whole, learnt = scaled_trainer(8)
    whole.fit()
    half, _ = scaled_trainer(4)
    half.fit()
    resumed, again = scaled_trainer(8)
    resumed.load_state_dict(half.detached_state())
    resumed.fit()
    assert torch.equal(again.scale, learnt.scale)
    assert same(weights(resumed), weights(whole))


@pytest.mark.parametrize(
    ("saved", "said"),
    [
        ([], r"beside the model: expected float64 \(\), found none"),
        ([torch.ones(2)], r"beside the model: expected float64 \(\), found float32 \(2,\)"),
        ("x", "beside: expected tensors, found 'x'"),
        (None, "missing from the state: beside"),
    ],
)
def test_a_state_without_what_the_loss_learns_is_refused(saved: object, said: str) -> None:
    trainer, loss = scaled_trainer(2)
    state = {**trainer.detached_state(), "beside": saved}
    if saved is None:
        del state["beside"]
    with pytest.raises(CheckpointMismatch, match=said):
        trainer.load_state_dict(state)
    assert loss.scale.item() == 1.0


def test_a_state_with_more_than_is_trained_here_is_refused() -> None:
    trainer, _ = scaled_trainer(2)
    model = net()
    other = Trainer(model, squares, pairs(), torch.optim.SGD(model.parameters()), LoopSettings(steps=2))
    state = {**other.detached_state(), "beside": trainer.state_dict()["beside"]}
    with pytest.raises(CheckpointMismatch, match=r"beside the model: expected none, found float64 \(\)"):
        other.load_state_dict(state)


def test_several_processes_refuse_what_they_would_not_join() -> None:
    model, several = net(), Parallel()
    several.world = 2
    optimizer = torch.optim.SGD([*model.parameters(), *Scaled().parameters()])
    with pytest.raises(ConfigError, match="got 1 that are not its own, whose gradients would not be joined"):
        Applier(model, optimizer, clip=1.0, scaler=None, parallel=several, device=torch.device("cpu"))
