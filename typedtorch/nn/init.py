"""Initial weights: each function fills a tensor in place and returns it, and leaves a meta tensor alone."""

import math

import torch
from jaxtyping import Float
from torch import Tensor


@torch.no_grad()
def truncated_normal(
    weight: Float[Tensor, "*shape"],
    std: float,
    *,
    generator: torch.Generator | None = None,
) -> Float[Tensor, "*shape"]:
    """Normal numbers with mean 0 and deviation ``std``, those beyond ``3 * std`` drawn again.

    Cutting the tails leaves a deviation of ``0.98658 * std``.  (``torch.nn.init.trunc_normal_``
    takes its bounds in absolute numbers: its defaults, -2 and 2, cut nothing at a small ``std``.)

    Raises:
        ValueError: ``std`` is negative.

    >>> w = truncated_normal(torch.empty(1000), 0.02, generator=torch.Generator().manual_seed(0))
    >>> bool(w.abs().max() <= 0.06), round(w.std().item(), 3)
    (True, 0.02)
    """
    if std < 0:
        raise ValueError(f"truncated_normal: std must be at least 0, got {std}")
    if weight.is_meta:
        return weight
    if std == 0:
        return weight.zero_()
    torch.nn.init.trunc_normal_(weight, std=std, a=-3 * std, b=3 * std, generator=generator)
    return weight


def fan_in_normal(
    weight: Float[Tensor, "d_out d_in"],
    *,
    gain: float = 1.0,
    generator: torch.Generator | None = None,
) -> Float[Tensor, "d_out d_in"]:
    """:func:`truncated_normal` with ``std = gain / sqrt(d_in)``.

    Outputs are then as large as inputs (LeCun et al., Efficient BackProp, 1998).

    >>> w = fan_in_normal(torch.empty(100, 400), generator=torch.Generator().manual_seed(0))
    >>> bool(w.abs().max() <= 3 / 20), round(w.std().item(), 3)
    (True, 0.049)
    """
    if weight.is_meta:  # before the size is made a number: it may be a symbol
        return weight
    if not weight.numel():
        return weight
    return truncated_normal(weight, gain / math.sqrt(weight.shape[-1]), generator=generator)


def residual_gain(layers: int) -> float:
    """GPT-2's factor on the weights that write to the residual stream, ``1 / sqrt(2 * layers)``.

    Two writes per layer then add up to the variance of one (Radford et al., 2019, section 2.3).

    Raises:
        ValueError: ``layers`` is not at least 1.

    >>> residual_gain(8)
    0.25
    """
    if layers < 1:
        raise ValueError(f"residual_gain: layers must be at least 1, got {layers}")
    return 1.0 / math.sqrt(2 * layers)
