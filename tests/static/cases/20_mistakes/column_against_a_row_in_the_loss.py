import torch
from jaxtyping import Float
from torch import Tensor, nn


class Regressor(nn.Module):
    def __init__(self, features: int) -> None:
        super().__init__()
        self.linear = nn.Linear(features, 1)

    def loss(self, x: Float[Tensor, "batch features"], y: Float[Tensor, "batch"]) -> Float[Tensor, ""]:
        prediction = self.linear(x).squeeze(-1)  #! prediction = self.linear(x)
        return ((prediction - y) ** 2).mean()  # E: broadcast


# run: Regressor(3).loss(randn(4, 3), randn(4))
# quiet: the mean is over the outer difference
