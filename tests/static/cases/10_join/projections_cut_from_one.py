import torch
from jaxtyping import Float
from torch import Tensor, nn


class Gate(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.qkv = nn.Conv2d(channels, 3 * channels, 1)  #! self.qkv = nn.Conv2d(channels, channels, 1)

    def forward(self, x: Float[Tensor, "b channels h w"]) -> Float[Tensor, "b channels h w"]:
        q, k, v = self.qkv(x).chunk(3, dim=1)
        return x + q * k.sigmoid() * v  # E: shape


# run: Gate(6)(randn(2, 6, 3, 4))
