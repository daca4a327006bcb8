"""Ranges of hyperparameters, refused in one form of words."""

from collections.abc import Sequence
from numbers import Real

from torch import Tensor


def check_lr(rule: str, lr: object) -> None:
    """A learning rate is at least 0; a tensor has one element, and its value is not looked at."""
    if isinstance(lr, Tensor):
        if lr.numel() != 1:
            raise ValueError(f"{rule}: lr has one element, got a tensor of shape {tuple(lr.shape)}")
    elif not isinstance(lr, Real) or not float(lr) >= 0:
        raise ValueError(f"{rule}: lr must be at least 0, got {lr!r}")


def check_at_least(rule: str, **values: float | tuple[float, float]) -> None:
    """Each ``name=(value, lowest)``, or ``name=value`` for a lowest of 0."""
    for name, value in values.items():
        got, lowest = value if isinstance(value, tuple) else (value, 0.0)
        if not got >= lowest:
            raise ValueError(f"{rule}: {name} must be at least {lowest:g}, got {got}")


def check_betas(rule: str, betas: tuple[float, float]) -> None:
    """Two decay rates in [0, 1)."""
    if not isinstance(betas, Sequence) or len(betas) != 2 or not all(0.0 <= beta < 1.0 for beta in betas):
        raise ValueError(f"{rule}: betas are two numbers in [0, 1), got {betas}")
