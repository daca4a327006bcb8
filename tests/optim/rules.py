"""Every rule with its torch peer, in the configurations the tests go through."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from typedtorch import optim
from typedtorch.optim import pure

# a leaf of every kind: scalar, vector, matrices both ways, higher rank, one element, none
SHAPES: tuple[tuple[int, ...], ...] = ((), (7,), (5, 3), (3, 5), (2, 3, 4), (2, 1, 3, 3), (1, 1), (33, 17))
MATRICES: tuple[tuple[int, ...], ...] = ((5, 3), (3, 5), (1, 1), (33, 17), (8, 8))
DTYPES = (torch.float32, torch.float64, torch.bfloat16)


@dataclass(frozen=True)
class Case:
    """A rule, its facade, the torch class to compare with, and the arguments all three take."""

    rule: type[pure.Rule]
    facade: type[optim.Facade]
    peer: Callable[..., torch.optim.Optimizer]
    options: dict[str, Any]
    shapes: tuple[tuple[int, ...], ...] = SHAPES

    def __str__(self) -> str:
        chosen = ",".join(f"{name}={value}" for name, value in self.options.items())
        return f"{self.rule.__name__}({chosen})"


def _cases() -> list[Case]:
    found: list[Case] = []

    def add(name: str, *options: dict[str, Any], shapes: Sequence[tuple[int, ...]] = SHAPES) -> None:
        made = getattr(pure, name), getattr(optim, name), getattr(torch.optim, name)
        found.extend(Case(*made, each, tuple(shapes)) for each in options)

    add(
        "SGD",
        {"lr": 0.1},
        {"lr": 0.1, "weight_decay": 0.1},
        {"lr": 0.1, "momentum": 0.9},
        {"lr": 0.1, "momentum": 0.9, "dampening": 0.3, "weight_decay": 0.01},
        {"lr": 0.1, "momentum": 0.9, "nesterov": True},
        {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1, "maximize": True},
    )
    add(
        "Adagrad",
        {"lr": 0.1},
        {"lr": 0.1, "lr_decay": 0.1, "weight_decay": 0.1, "initial_accumulator_value": 0.5},
        {"lr": 0.1, "eps": 0.1, "maximize": True},
    )
    add(
        "RMSprop",
        {"lr": 0.01},
        {"lr": 0.01, "alpha": 0.9, "eps": 0.1, "weight_decay": 0.1},
        {"lr": 0.01, "centered": True},
        {"lr": 0.01, "momentum": 0.9},
        {"lr": 0.01, "momentum": 0.9, "centered": True, "weight_decay": 0.1, "maximize": True},
    )
    add(
        "Adam",
        {"lr": 0.01},
        {"lr": 0.01, "betas": (0.5, 0.9), "eps": 0.1, "weight_decay": 0.1},
        {"lr": 0.01, "amsgrad": True, "maximize": True},
    )
    add(
        "AdamW",
        {"lr": 0.01},
        {"lr": 0.01, "weight_decay": 0.0},
        {"lr": 0.01, "betas": (0.8, 0.95), "weight_decay": 0.5, "amsgrad": True},
        {"lr": 0.01, "maximize": True},
    )
    add(
        "Adafactor",
        {"lr": 0.01},
        {"lr": 0.1, "d": 2.0, "eps": (1e-6, 1e-2), "beta2_decay": -0.5, "weight_decay": 0.1},
        {"lr": 0.01, "maximize": True},
    )
    if hasattr(torch.optim, "Muon"):
        add(
            "Muon",
            {"lr": 0.02},
            {"lr": 0.02, "nesterov": False, "weight_decay": 0.0},
            {"lr": 0.02, "momentum": 0.5, "adjust_lr_fn": "match_rms_adamw", "ns_steps": 3},
            shapes=MATRICES,
        )
    return found


CASES = _cases()


def leaves(shapes: Sequence[tuple[int, ...]], dtypes: Sequence[torch.dtype], seed: int = 0) -> list[Tensor]:
    """A tensor of each shape in each dtype."""
    source = torch.Generator().manual_seed(seed)
    return [torch.randn(shape, generator=source).to(dtype) for dtype in dtypes for shape in shapes]


def gradients(params: Sequence[Tensor], seed: int) -> list[Tensor]:
    """Gradients like the parameters, with zeros and large ones among them."""
    source = torch.Generator().manual_seed(1000 + seed)
    found = [torch.randn(p.shape, generator=source).mul(10.0 ** (seed % 3 - 1)).to(p.dtype) for p in params]
    found[seed % len(found)].zero_()
    return found


def parameters(tensors: Sequence[Tensor]) -> list[torch.nn.Parameter]:
    """Fresh leaves with the same values."""
    return [torch.nn.Parameter(tensor.detach().clone()) for tensor in tensors]


def torch_loop(case: Case, params: list[torch.nn.Parameter]) -> torch.optim.Optimizer:
    """The torch class as its for-loop."""
    loop = {"foreach": False} if case.rule is not pure.Muon else {}
    return case.peer(params, **case.options, **loop)
