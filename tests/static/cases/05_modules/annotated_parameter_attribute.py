import torch
from jaxtyping import Float
from torch import Tensor, nn


class RMSNorm(nn.Module):
    gain: Float[nn.Parameter, "dim"]

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(dim))

    def forward(self, x: Float[Tensor, "batch seq dim"]) -> Float[Tensor, "batch seq dim"]:
        scale = x.pow(2).mean(-1, keepdim=True).rsqrt()  #! scale = x.pow(2).mean(-1).rsqrt()
        return x * scale * self.gain  # E: shape


# run: RMSNorm(5)(randn(2, 3, 5))
