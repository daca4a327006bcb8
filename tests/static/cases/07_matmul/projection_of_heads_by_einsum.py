import torch
from jaxtyping import Float
from torch import Tensor, nn


class Output(nn.Module):
    def __init__(self, heads: int, head_dim: int, d_model: int) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.randn(heads, head_dim, d_model))

    def forward(self, z: Float[Tensor, "b s heads head_dim"]) -> Float[Tensor, "b s d_model"]:
        return torch.einsum("bshd,hdm->bsm", z, self.w)  #! return torch.einsum("bshd,dhm->bsm", z, self.w)  # E: shape


# run: Output(2, 3, 5)(randn(7, 11, 2, 3))
