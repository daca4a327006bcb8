import torch
from jaxtyping import Float
from torch import Tensor, nn


class Half(nn.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.linear = nn.Linear(d_in, d_out)

    def forward(self, x: Float[Tensor, "n d_in"]) -> Float[Tensor, "n d_out"]:
        return self.linear(x)


def overlap(first: Half, second: Half) -> Tensor:
    own = first.linear.weight @ first.linear.weight.T  #! own = first.linear.weight @ first.linear.weight  # E: shape
    return own.norm() * (second.linear.weight @ first.linear.weight).norm()


# run: overlap(Half(6, 2), Half(2, 6))
