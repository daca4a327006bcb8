import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn


class NoisyLinear(nn.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(d_out, d_in))  #! self.weight = nn.Parameter(torch.empty(d_in, d_out))
        self.bias = nn.Parameter(torch.zeros(d_out))
        nn.init.normal_(self.weight)

    def forward(self, x: Float[Tensor, "b d_in"]) -> Float[Tensor, "b d_out"]:
        noise = torch.randn_like(self.weight)
        return F.linear(x, self.weight + noise, self.bias)  # E: shape


# run: NoisyLinear(3, 5)(randn(2, 3))
