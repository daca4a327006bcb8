import torch
from jaxtyping import Float
from torch import Tensor


def energy(x: Float[Tensor, "d"], a: Float[Tensor, "d d"]) -> Float[Tensor, ""]:
    return x @ a @ x


def energies(xs: Float[Tensor, "n d"], a: Float[Tensor, "d d"]) -> Float[Tensor, "n"]:
    return torch.vmap(energy, in_dims=(0, None))(xs, a)  #! return torch.vmap(energy, in_dims=(0, None))(xs, a).unsqueeze(-1)  # E: shape


# run: energies(randn(3, 5), randn(5, 5))
