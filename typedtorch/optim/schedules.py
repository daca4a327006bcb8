"""Learning rates as pure functions of the step.

Step 0 is the first one.  Every schedule warms up the same way: at step ``s`` of ``warmup`` the rate is
``peak * (s + 1) / warmup``, so the first step already moves and step ``warmup - 1`` has the peak.
The step may be a tensor: then the answer is one, and nothing is read back from a GPU or a compiler.
"""

import math
from typing import TypeAlias, overload

import torch
from jaxtyping import Float, Shaped
from torch import Tensor

Rate: TypeAlias = float | Float[Tensor, "*steps"]
"""A number, or one for each of the given steps."""


@overload
def constant(step: int, *, peak: float, warmup: int = 0) -> float: ...
@overload
def constant(step: Shaped[Tensor, "*steps"], *, peak: float, warmup: int = 0) -> Float[Tensor, "*steps"]: ...
def constant(step: int | Shaped[Tensor, "*steps"], *, peak: float, warmup: int = 0) -> Rate:
    """Warm up to ``peak`` and stay.

    Raises:
        ValueError: ``step`` or ``warmup`` is negative.

    >>> [constant(s, peak=1.0, warmup=4) for s in (0, 1, 3, 100)]
    [0.25, 0.5, 1.0, 1.0]
    """
    _check(step, warmup=warmup)
    return peak * _ramp(step, warmup)


@overload
def warmup_linear(step: int, *, peak: float, total: int, warmup: int = 0, floor: float = 0.0) -> float: ...
@overload
def warmup_linear(
    step: Shaped[Tensor, "*steps"], *, peak: float, total: int, warmup: int = 0, floor: float = 0.0
) -> Float[Tensor, "*steps"]: ...
def warmup_linear(
    step: int | Shaped[Tensor, "*steps"], *, peak: float, total: int, warmup: int = 0, floor: float = 0.0
) -> Rate:
    """Warm up to ``peak``, then fall in a straight line to ``floor`` at step ``total - 1`` and stay there.

    Raises:
        ValueError: ``step`` or ``warmup`` is negative, or longer than ``total``.

    >>> [warmup_linear(s, peak=1.0, total=5, warmup=1) for s in range(6)]
    [1.0, 0.75, 0.5, 0.25, 0.0, 0.0]
    """
    _check(step, warmup=warmup, total=total)
    return _warm(step, warmup, peak, peak + (floor - peak) * _progress(step, warmup, total))


@overload
def warmup_cosine(step: int, *, peak: float, total: int, warmup: int = 0, floor: float = 0.0) -> float: ...
@overload
def warmup_cosine(
    step: Shaped[Tensor, "*steps"], *, peak: float, total: int, warmup: int = 0, floor: float = 0.0
) -> Float[Tensor, "*steps"]: ...
def warmup_cosine(
    step: int | Shaped[Tensor, "*steps"], *, peak: float, total: int, warmup: int = 0, floor: float = 0.0
) -> Rate:
    """Warm up to ``peak``, then fall as half a cosine to ``floor`` at step ``total - 1`` and stay there.

    ``floor + (peak - floor) * (1 + cos(pi * progress)) / 2`` (Loshchilov and Hutter, arXiv:1608.03983).

    Raises:
        ValueError: ``step`` or ``warmup`` is negative, or longer than ``total``.

    >>> [round(warmup_cosine(s, peak=1.0, total=7, warmup=2, floor=0.1), 3) for s in range(8)]
    [0.5, 1.0, 0.914, 0.689, 0.411, 0.186, 0.1, 0.1]
    """
    _check(step, warmup=warmup, total=total)
    half: Rate = 0.5 * (1.0 + _cos(math.pi * _progress(step, warmup, total)))
    return _warm(step, warmup, peak, floor + (peak - floor) * half)


@overload
def warmup_stable_decay(
    step: int, *, peak: float, total: int, warmup: int = 0, decay: int = 0, floor: float = 0.0
) -> float: ...
@overload
def warmup_stable_decay(
    step: Shaped[Tensor, "*steps"],
    *,
    peak: float,
    total: int,
    warmup: int = 0,
    decay: int = 0,
    floor: float = 0.0,
) -> Float[Tensor, "*steps"]: ...
def warmup_stable_decay(
    step: int | Shaped[Tensor, "*steps"],
    *,
    peak: float,
    total: int,
    warmup: int = 0,
    decay: int = 0,
    floor: float = 0.0,
) -> Rate:
    """WSD: warm up, stay at ``peak``, and fall in a straight line to ``floor`` in the last ``decay`` steps.

    Hu et al., MiniCPM, arXiv:2404.06395.  The floor is reached at step ``total - 1``.

    Raises:
        ValueError: ``step`` or a length is negative, or ``warmup + decay`` is longer than ``total``.

    >>> [warmup_stable_decay(s, peak=1.0, total=6, warmup=2, decay=2) for s in range(7)]
    [0.5, 1.0, 1.0, 1.0, 0.5, 0.0, 0.0]
    """
    _check(step, warmup=warmup, total=total, decay=decay)
    fallen: Rate = _clamp((step - (total - decay) + 1) / decay) if decay else 0.0 * _ramp(step, 0)
    return _warm(step, warmup, peak, peak + (floor - peak) * fallen)


@overload
def inverse_sqrt(step: int, *, peak: float, warmup: int) -> float: ...
@overload
def inverse_sqrt(step: Shaped[Tensor, "*steps"], *, peak: float, warmup: int) -> Float[Tensor, "*steps"]: ...
def inverse_sqrt(step: int | Shaped[Tensor, "*steps"], *, peak: float, warmup: int) -> Rate:
    """Warm up to ``peak``, then fall as ``peak * sqrt(warmup / (step + 1))`` (arXiv:1706.03762, section 5.3).

    Raises:
        ValueError: ``step`` is negative, or ``warmup`` not at least 1.

    >>> [inverse_sqrt(s, peak=1.0, warmup=4) for s in (0, 3, 15, 63)]
    [0.25, 1.0, 0.5, 0.25]
    """
    _check(step, warmup=warmup)
    if warmup < 1:
        raise ValueError(f"inverse_sqrt: warmup must be at least 1, got {warmup}")
    return _warm(step, warmup, peak, peak * (warmup / (step + 1)) ** 0.5)


def _ramp(step: int | Shaped[Tensor, "*steps"], warmup: int) -> Rate:
    """(step + 1) / warmup, at most 1."""
    return _clamp((step + 1) / max(warmup, 1))


def _progress(step: int | Shaped[Tensor, "*steps"], warmup: int, total: int) -> Rate:
    """0 at the last step of the warm-up (or the first step), 1 at step total - 1, and 1 from then on."""
    first = max(warmup - 1, 0)
    return _clamp((step - first) / max(total - 1 - first, 1))


def _warm(step: int | Shaped[Tensor, "*steps"], warmup: int, peak: float, after: Rate) -> Rate:
    ramp: Rate = peak * _ramp(step, warmup)
    if isinstance(step, Tensor):
        return torch.where(step < warmup, ramp, after)
    return ramp if step < warmup else after


def _clamp(x: Rate) -> Rate:
    return x.clamp(0.0, 1.0) if isinstance(x, Tensor) else min(max(x, 0.0), 1.0)


def _cos(x: Rate) -> Rate:
    return x.cos() if isinstance(x, Tensor) else math.cos(x)


def _check(
    step: int | Shaped[Tensor, "*steps"], *, warmup: int, total: int | None = None, decay: int = 0
) -> None:
    if not isinstance(step, Tensor) and step < 0:  # to look into a tensor would stop a GPU, or a compiler
        raise ValueError(f"schedule: the first step is 0, got {step}")
    if warmup < 0 or decay < 0:
        raise ValueError(f"schedule: lengths are at least 0 steps, got warmup {warmup} and decay {decay}")
    if total is not None and warmup + decay > total:
        raise ValueError(f"schedule: warmup {warmup} + decay {decay} do not fit in {total} steps")
