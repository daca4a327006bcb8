import torch
from jaxtyping import Float
from torch import Tensor, nn


class ResidualUnit(nn.Module):
    def __init__(self, c_in: int, c_out: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(c_in, c_out, 3, padding=1)
        self.conv2 = nn.Conv2d(c_out, c_out, 3, padding=1)
        self.skip = nn.Conv2d(c_in, c_out, 1)

    def forward(self, x: Float[Tensor, "b c_in h w"]) -> Float[Tensor, "b c_out h w"]:
        y = self.conv2(self.conv1(x).relu())
        return self.skip(x) + y  #! return x + y  # E: shape


# run: ResidualUnit(3, 5)(randn(2, 3, 7, 11))
