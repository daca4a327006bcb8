import torch
from jaxtyping import Float
from torch import Tensor, nn


class Attention(nn.Module):
    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.qkv = nn.Linear(d_model, 3 * d_model)

    def forward(self, x: Float[Tensor, "b s d_model"]) -> Float[Tensor, "b s d_model"]:
        q, k, v = self.qkv(x).chunk(3, dim=-1)  #! q, k, v = self.qkv(x).chunk(3, dim=1)
        weights = (q @ k.transpose(1, 2)).softmax(-1)
        return weights @ v  # E: shape


# run: Attention(5)(randn(2, 9, 5))
