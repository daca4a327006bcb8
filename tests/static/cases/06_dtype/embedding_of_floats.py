import torch
from jaxtyping import Float
from torch import Tensor, nn


class Quantised(nn.Module):
    def __init__(self, levels: int, dim: int) -> None:
        super().__init__()
        self.levels = levels
        self.embed = nn.Embedding(levels, dim)

    def forward(self, x: Float[Tensor, "b t"]) -> Float[Tensor, "b t dim"]:
        bins = (x.sigmoid() * (self.levels - 1)).round().long()  #! bins = (x.sigmoid() * (self.levels - 1)).round()
        return self.embed(bins)  # E: dtype


# run: Quantised(7, 3)(randn(2, 5))
