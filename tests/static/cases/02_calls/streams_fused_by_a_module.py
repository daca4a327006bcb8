import torch
from jaxtyping import Float
from torch import Tensor, nn


class Fusion(nn.Module):
    def __init__(self, d: int, n: int) -> None:
        super().__init__()
        self.mix = nn.Linear(n * d, d)  #! self.mix = nn.Linear(d, n * d)

    def forward(self, *streams: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
        return self.mix(torch.cat(streams, dim=-1))  # E: shape


def run(a: Float[Tensor, "b 16"], c: Float[Tensor, "b 16"]) -> Float[Tensor, "b 16"]:
    return Fusion(16, 2)(a, c)


# run: run(randn(3,16), randn(3,16))
