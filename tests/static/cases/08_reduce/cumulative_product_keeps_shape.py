import torch
from jaxtyping import Float
from torch import Tensor


def render_weights(sigma: Float[Tensor, "rays samples"], delta: Float[Tensor, "rays samples"]) -> Float[Tensor, "rays samples"]:
    alpha = 1 - torch.exp(-sigma * delta)
    ones = torch.ones_like(alpha[:, :1])
    trans = torch.cumprod(torch.cat([ones, 1 - alpha], dim=1), dim=1)
    return alpha * trans[:, :-1]  #! return alpha * trans  # E: shape


# run: render_weights(torch.rand(3, 5), torch.rand(3, 5))
