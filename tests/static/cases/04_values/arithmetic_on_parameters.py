import torch
from jaxtyping import Float
from torch import Tensor, nn


class GroupedQuery(nn.Module):
    def __init__(self, d_model: int, n_heads: int, n_kv: int) -> None:
        super().__init__()
        self.n_heads, self.n_kv = n_heads, n_kv
        self.head_dim = d_model // n_heads
        self.kv = nn.Linear(d_model, 2 * n_kv * self.head_dim)  #! self.kv = nn.Linear(2 * d_model, n_kv * self.head_dim)

    def forward(self, x: Float[Tensor, "b s d_model"]) -> Float[Tensor, "b s kv"]:
        return self.kv(x)  # E: shape


# run: GroupedQuery(24, 4, 2)(randn(2, 3, 24))
