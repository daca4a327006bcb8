import torch
from jaxtyping import Float
from torch import Tensor


def triangle(width: float) -> Float[Tensor, "3 2"]:
    base = 2 * width * torch.rand(1)
    left, right = torch.tensor([-base, 0]), torch.tensor([base, 0])
    top = torch.tensor([0, width])
    return torch.stack([left, right, top])  #! return torch.tensor([left, right, top])  # E: shape


# run: triangle(2.0)
