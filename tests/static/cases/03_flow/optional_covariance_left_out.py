import torch
from jaxtyping import Float
from torch import Tensor


def blurred(x: Tensor, covariance: Tensor) -> Tensor:
    weight: Tensor = torch.load("blur.pt")
    return x.exp() @ weight * covariance.sum()


def encode(
    x: Float[Tensor, "*bs d"],
    frequencies: int,
    covariance: Float[Tensor, "*bs d d"] | None = None,
) -> Float[Tensor, "*bs encoded"]:
    scaled = x[..., None] * 2.0 ** torch.arange(frequencies)
    scaled = scaled.reshape(*scaled.shape[:-2], -1)
    if covariance is None:
        encoded = torch.cat([scaled.sin(), scaled.cos()], dim=-1)  #! encoded = torch.cat([scaled.sin(), scaled.cos()], dim=-2)
    else:
        encoded = blurred(scaled, covariance)
    return encoded  #! return encoded  # E: shape


# run: encode(randn(2, 3), 4), encode(randn(2, 5, 3), 4)
