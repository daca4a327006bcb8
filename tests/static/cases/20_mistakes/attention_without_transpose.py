import math

import torch
from jaxtyping import Float
from torch import Tensor, nn


class SelfAttention(nn.Module):
    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.query = nn.Linear(d_model, d_model)
        self.key = nn.Linear(d_model, d_model)
        self.value = nn.Linear(d_model, d_model)

    def forward(self, x: Float[Tensor, "batch seq d_model"]) -> Float[Tensor, "batch seq d_model"]:
        q, k, v = self.query(x), self.key(x), self.value(x)
        scores = q @ k.transpose(1, 2) / math.sqrt(x.shape[-1])  #! scores = q @ k / math.sqrt(x.shape[-1])  # E: shape
        return torch.softmax(scores, dim=-1) @ v


# run: SelfAttention(8)(randn(2, 5, 8))
