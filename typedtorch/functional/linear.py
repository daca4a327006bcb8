"""The linear map, in torch's layout: a weight is (out, in)."""

import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


def linear(
    x: Float[Tensor, "*batch d_in"],
    weight: Float[Tensor, "d_out d_in"],
    bias: Float[Tensor, "d_out"] | None = None,
) -> Float[Tensor, "*batch d_out"]:
    """Map the last axis: ``y = x @ weight.T + bias``.

    Args:
        x: any number of leading axes, then ``d_in``.
        weight: one row per output, as ``torch.nn.Linear`` stores it.
        bias: one number per output, or nothing.

    Costs ``2 * batch * d_in * d_out`` FLOPs.

    Raises:
        RuntimeError: the last axis of ``x`` is not the weight's ``d_in`` (torch's own message).

    >>> import torch
    >>> linear(torch.ones(2, 3), torch.tensor([[1.0, 2.0, 3.0]]), torch.tensor([10.0]))
    tensor([[16.],
            [16.]])
    """
    return F.linear(x, weight, bias)
