import torch
from jaxtyping import Float
from torch import Tensor, nn


class Stack(nn.Module):
    def __init__(self, d_model: int, depth: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(d_model, d_model) for _ in range(depth)])
        self.head = nn.Linear(d_model, 10)

    def forward(self, x: Float[Tensor, "b {self.d_model}"]) -> Float[Tensor, "b 10"]:
        for layer in self.layers:
            x = x + layer(x)
        return self.head(x)

    @property
    def d_model(self) -> int:
        return self.head.in_features


def logits(x: Float[Tensor, "b 64"]) -> Float[Tensor, "b 10"]:
    return Stack(64, 3)(x)  #! return Stack(32, 3)(x)  # E: shape


# run: logits(randn(3, 64))
