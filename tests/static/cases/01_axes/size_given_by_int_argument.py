import torch
from jaxtyping import Float
from torch import Tensor


def sinusoids(length: int, dim: int) -> Float[Tensor, "{length} {dim}"]:
    position = torch.arange(length).float().unsqueeze(1)
    rate = torch.exp(-torch.arange(dim).float() / dim)
    return torch.sin(position * rate)  #! return torch.sin(position * rate).T  # E: shape


# run: sinusoids(5, 7)
