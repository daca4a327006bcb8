import torch
from jaxtyping import Float
from torch import Tensor, nn


class Grown(nn.Module):
    def __init__(self, width: int, growth: int, depth: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, growth) for _ in range(depth))
        self.head = nn.Linear(width + depth * growth, width)  #! self.head = nn.Linear(depth * growth, width)

    def forward(self, x: Float[Tensor, "b width"]) -> Float[Tensor, "b width"]:
        features = [x]
        for layer in self.layers:
            features.append(layer(x))
        return self.head(torch.cat(features, dim=-1))  # E: shape


# run: Grown(4, 2, 3)(randn(5, 4))
