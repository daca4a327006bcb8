"""The learning rates of an optimizer's groups, as a schedule sets them."""

from __future__ import annotations

from numbers import Real
from typing import Any

from torch import Tensor
from torch.optim import Optimizer

from typedtorch.training.errors import ConfigError

SCALE = "lr_scale"
"""What multiplies the schedule in a group; saved with it."""


def check_rates(optimizer: Optimizer) -> None:
    """Refuse groups whose own rates say nothing of a schedule's.

    Raises:
        ConfigError: they are unequal, and none is the optimizer's own, or that is 0.
    """
    rates = _unscaled(optimizer)
    base = _number(optimizer.defaults.get("lr"))
    if len(set(rates)) > 1 and (base not in rates or not base):
        found = ", ".join(f"{rate:g}" for rate in rates)
        wanted = "groups with the optimizer's rate or a lr_scale of it, which a schedule multiplies"
        raise ConfigError(f"schedule: expected {wanted}, got the rates {found} and the optimizer's {base:g}")


def scale_groups(optimizer: Optimizer) -> None:
    """Give each group with a rate of its own the ratio to the optimizer's, for a schedule to multiply.

    A group that has a ``lr_scale`` keeps it. Where all rates are equal the schedule alone says what they are.

    >>> import torch
    >>> weights = [torch.nn.Parameter(torch.ones(1)) for _ in range(2)]
    >>> groups = [{"params": weights[:1], "lr": 0.25}, {"params": weights[1:]}]
    >>> made = torch.optim.SGD(groups, lr=0.5)
    >>> scale_groups(made); set_rate(made, 0.1)
    >>> [group["lr"] for group in made.param_groups]
    [0.05, 0.1]

    Raises:
        ConfigError: see :func:`check_rates`.
    """
    check_rates(optimizer)
    if len(set(_unscaled(optimizer))) < 2:
        return
    base = _number(optimizer.defaults["lr"])
    for group in optimizer.param_groups:
        if (rate := _number(group["lr"])) != base:
            group.setdefault(SCALE, rate / base)


def set_rate(optimizer: Optimizer, rate: float) -> None:
    """Give every group the rate of a schedule, times its own scale."""
    for group in optimizer.param_groups:
        value = rate * group.get(SCALE, 1.0)
        if isinstance(group["lr"], Tensor):
            group["lr"].fill_(value)
        else:
            group["lr"] = value


def _unscaled(optimizer: Optimizer) -> list[float]:
    return [_number(group["lr"]) for group in optimizer.param_groups if SCALE not in group]


def _number(rate: Any) -> float:
    return float(rate) if isinstance(rate, Real | Tensor) else float("nan")
