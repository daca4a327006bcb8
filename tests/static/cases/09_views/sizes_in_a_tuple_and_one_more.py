import torch
from jaxtyping import Float
from torch import Tensor, nn


class Embedder(nn.Module):
    def __init__(self, features: int, width: int) -> None:
        super().__init__()
        self.fc = nn.Linear(features, width)

    def forward(self, x: Float[Tensor, "*lead h w"]) -> Float[Tensor, "*lead width"]:
        lead = x.shape[:-2]
        flat = x.reshape(-1, x.shape[-2] * x.shape[-1])
        return self.fc(flat).reshape(*lead, -1)  #! return self.fc(flat).reshape(lead, -1)  # E: shape


def heads(x: Float[Tensor, "*lead d"], n: int) -> Float[Tensor, "*lead n d//n"]:
    return x.view(*x.shape[:-1], n, -1)  #! return x.view(x.shape[:-1], n, -1)  # E: shape


def blank(x: Float[Tensor, "b d"], n: int) -> Float[Tensor, "b d n"]:
    return torch.zeros(*x.shape, n)  #! return torch.zeros(x.shape, n)  # E: shape


def room(x: Float[Tensor, "b d"], n: int) -> Float[Tensor, "n b d"]:
    return x.expand(n, *x.shape)  #! return x.expand(n, x.shape)  # E: shape


# run: Embedder(6, 5)(randn(7, 2, 3)), heads(randn(2, 6), 3), blank(randn(2, 3), 5), room(randn(2, 3), 5)
