import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from typing import overload


class Codebook(nn.Module):
    def __init__(self, size: int, dim: int) -> None:
        super().__init__()
        self.codes = nn.Parameter(torch.randn(size, dim))

    @overload
    def forward(self, x: Int[Tensor, "b t"]) -> Float[Tensor, "b t dim"]: ...
    @overload
    def forward(self, x: Float[Tensor, "b t dim"]) -> Int[Tensor, "b t"]: ...
    def forward(self, x):
        if not x.dtype.is_floating_point:
            return self.codes[x]
        return torch.cdist(x.flatten(0, 1), self.codes).argmin(-1).view(x.shape[:2])

    def commitment(self, x: Float[Tensor, "b t dim"]) -> Float[Tensor, "b t"]:
        q = self(self(x))  #! q = self(x)
        return (x - q).square().sum(-1)  # E: shape


# run: Codebook(7,4).commitment(randn(2,3,4))
