import torch
from jaxtyping import Float
from torch import Tensor, nn


class Stack(nn.Module):
    def __init__(self, d_model: int, d_ff: int, depth: int) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(depth))
        self.ups = nn.ModuleList(nn.Linear(d_model, d_ff) for _ in range(depth))
        self.downs = nn.ModuleList(nn.Linear(d_ff, d_model) for _ in range(depth))

    def forward(self, x: Float[Tensor, "b s d_model"]) -> Float[Tensor, "b s d_model"]:
        for norm, up, down in zip(self.norms, self.ups, self.downs):
            x = x + down(up(norm(x)).relu())  #! x = x + up(down(norm(x)).relu())  # E: shape
        return x


# run: Stack(3, 5, 2)(randn(2, 7, 3))
