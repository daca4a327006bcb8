"""Options, shapes, dtypes and layouts nobody chose: still torch's for-loop, bit by bit."""

import random
from typing import Any

import pytest
import torch
from torch import Tensor

from typedtorch.optim import pure

DTYPES = (torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.complex64, torch.complex128)
DECAYS = (0.0, 0.013, 0.5)


def options(name: str, draw: random.Random) -> dict[str, Any]:
    """Some arguments that torch's class of this name accepts."""
    found: dict[str, Any] = {"lr": draw.choice((1e-3, 0.1, 0.37, 1.0)), "weight_decay": draw.choice(DECAYS)}
    if name != "Muon":  # torch's has no such option
        found["maximize"] = draw.random() < 0.4
    if name == "SGD":
        found["momentum"] = draw.choice((0.0, 0.3, 0.9, 1.1))
        straight = not found["momentum"] or draw.random() < 0.5
        found |= {"dampening": draw.choice((0.0, 0.2, 1.5))} if straight else {"nesterov": True}
    elif name == "Adagrad":
        found |= {"lr_decay": draw.choice((0.0, 0.3)), "initial_accumulator_value": draw.choice((0.0, 2.0))}
    elif name == "RMSprop":
        found |= {"alpha": draw.choice((0.99, 0.5, 0.0)), "momentum": draw.choice((0.0, 0.5))}
        found |= {"centered": draw.random() < 0.5, "eps": draw.choice((1e-8, 1e-2))}
    elif name in ("Adam", "AdamW"):
        found |= {"betas": draw.choice(((0.9, 0.999), (0.0, 0.9), (0.8, 0.0)))}
        found |= {"amsgrad": draw.random() < 0.5, "eps": draw.choice((1e-8, 1e-3, 0.0))}
    elif name == "Adafactor":
        found |= {"beta2_decay": draw.choice((-0.8, -1.0, 0.0)), "d": draw.choice((1.0, 1.3))}
        found |= {"eps": draw.choice(((None, 1e-3), (1e-8, 1e-2), (1e-3, 0.1)))}
    else:
        found |= {"momentum": draw.choice((0.95, 0.0)), "nesterov": draw.random() < 0.5}
        found |= {"ns_steps": draw.choice((0, 1, 5)), "adjust_lr_fn": draw.choice((None, "match_rms_adamw"))}
    return found


def leaf(name: str, draw: random.Random) -> Tensor:
    """A tensor of some shape, dtype and layout that the rule takes."""
    if name == "Muon":
        shape = [draw.randint(1, 40), draw.randint(1, 40)]
    else:
        least = name == "Adafactor"  # torch's divides by the number of elements
        shape = [draw.choice((0, 1, 2, 5, 17, 33)[least:]) for _ in range(draw.randint(0, 4))]
    dtype = draw.choice(DTYPES[:4] if name in ("Muon", "Adafactor") else DTYPES)
    tensor = torch.randn(shape, dtype=torch.complex128 if dtype.is_complex else torch.float64).to(dtype)
    if len(shape) == 4 and draw.random() < 0.5:
        return tensor.to(memory_format=torch.channels_last)
    return tensor.transpose(0, 1) if len(shape) >= 2 and draw.random() < 0.3 else tensor


def same(ours: Tensor, theirs: Tensor) -> bool:
    """The same bits, or not a number in the same places."""
    both = [torch.view_as_real(t) if t.is_complex() else t for t in (ours.detach(), theirs.detach())]
    return ours.dtype == theirs.dtype and torch.equal(*(t.nan_to_num(nan=0.125) for t in both))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", ["SGD", "Adagrad", "RMSprop", "Adam", "AdamW", "Adafactor", "Muon"])
def test_any_options_shapes_and_dtypes_are_bitwise_those_of_torch(name: str, seed: int) -> None:
    if not hasattr(torch.optim, name):
        pytest.skip(f"this torch has no {name}")
    draw = random.Random(f"{name} {seed}")
    torch.manual_seed(seed)
    chosen, params = options(name, draw), [leaf(name, draw) for _ in range(5)]
    theirs = [torch.nn.Parameter(p.clone()) for p in params]
    peer = getattr(torch.optim, name)(theirs, **chosen, **({} if name == "Muon" else {"foreach": False}))
    rate, state = chosen["lr"], getattr(pure, name)(**chosen).init(params)
    for step in range(50):
        rate *= 0.97  # a schedule
        peer.param_groups[0]["lr"] = rate
        grads: list[Tensor | None] = [
            None if draw.random() < 0.1 else torch.randn_like(p) * 10.0 ** draw.choice((-3, 0, 2))
            for p in params
        ]
        for param, grad in zip(theirs, grads, strict=True):
            param.grad = None if grad is None else grad.clone()
        peer.step()
        rule = getattr(pure, name)(**{**chosen, "lr": rate})
        params, state = rule.step(grads, state, params)
        for i, (one, other) in enumerate(zip(params, theirs, strict=True)):
            where = f"step {step}, parameter {i}, {one.dtype} {tuple(one.shape)}, {chosen}"
            assert same(one, other), where
            for key, value in peer.state.get(other, {}).items():
                assert same(state[i][key], value), f"{key}: {where}"


@pytest.mark.parametrize("donate", [False, True])
@pytest.mark.parametrize("name", ["SGD", "Adagrad", "RMSprop", "Adam", "AdamW", "Adafactor", "Muon", "Lion"])
def test_a_step_without_any_gradient_changes_nothing(name: str, donate: bool) -> None:
    rule, params = getattr(pure, name)(), [torch.ones(2, 2)]
    state = rule.init(params)
    moved, kept = rule.step([None], state, params, donate=donate)
    assert torch.equal(moved[0], torch.ones(2, 2))
    assert kept == state
