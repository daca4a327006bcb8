"""Normalisations over the last axis."""

import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


def rms_norm(
    x: Float[Tensor, "*batch d_model"],
    weight: Float[Tensor, "d_model"] | None = None,
    *,
    eps: float = 1e-5,
) -> Float[Tensor, "*batch d_model"]:
    """Divide by the root mean square: ``y = x / sqrt(mean(x**2) + eps) * weight``.

    Zhang and Sennrich, Root Mean Square Layer Normalization, arXiv:1910.07467.  Half
    precision is squared and averaged in float32.

    >>> import torch
    >>> rms_norm(torch.tensor([[3.0, 4.0]]), eps=0.0)
    tensor([[0.8485, 1.1314]])
    """
    return F.rms_norm(x, (x.shape[-1],), weight, eps)


def layer_norm(
    x: Float[Tensor, "*batch d_model"],
    weight: Float[Tensor, "d_model"] | None = None,
    bias: Float[Tensor, "d_model"] | None = None,
    *,
    eps: float = 1e-5,
) -> Float[Tensor, "*batch d_model"]:
    """Centre and scale: ``y = (x - mean(x)) / sqrt(var(x) + eps) * weight + bias``.

    Ba, Kiros and Hinton, Layer Normalization, arXiv:1607.06450.  The variance is the biased one.

    >>> import torch
    >>> layer_norm(torch.tensor([[1.0, 3.0]]), eps=0.0)
    tensor([[-1.,  1.]])
    """
    return F.layer_norm(x, (x.shape[-1],), weight, bias, eps)
