"""Position-wise feed-forward maps."""

from jaxtyping import Float
from torch import Tensor

from typedtorch.functional.activations import silu
from typedtorch.functional.linear import linear


def swiglu(
    x: Float[Tensor, "*batch d_model"],
    gate: Float[Tensor, "d_ff d_model"],
    up: Float[Tensor, "d_ff d_model"],
    down: Float[Tensor, "d_model d_ff"],
) -> Float[Tensor, "*batch d_model"]:
    """The gated feed-forward map: ``y = (silu(x @ gate.T) * (x @ up.T)) @ down.T``.

    Shazeer, GLU Variants Improve Transformer, arXiv:2002.05202.  Costs
    ``6 * batch * d_model * d_ff`` FLOPs in matrix products.

    >>> import torch
    >>> one = torch.ones(1, 1)
    >>> swiglu(torch.tensor([[20.0]]), one, one, one)
    tensor([[400.]])
    """
    return linear(silu(linear(x, gate)) * linear(x, up), down)
