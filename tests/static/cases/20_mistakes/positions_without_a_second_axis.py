import math

import torch
from jaxtyping import Float
from torch import Tensor, nn


class Positions(nn.Module):
    def __init__(self, d_model: int, max_len: int = 5000) -> None:
        super().__init__()
        table = torch.zeros(max_len, d_model)
        position = torch.arange(max_len).unsqueeze(1)  #! position = torch.arange(max_len)
        frequency = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        table[:, 0::2] = torch.sin(position * frequency)  # E: shape
        self.register_buffer("table", table)

    def forward(self, x: Float[Tensor, "b s d_model"]) -> Float[Tensor, "b s d_model"]:
        return x + self.table[: x.size(1)]


def angles(length: int, d: int) -> Float[Tensor, "length d"]:
    position = torch.arange(length)[:, None]  #! position = torch.arange(length)
    angle = position / 10000 ** (torch.arange(0, d, 2) / d)  # E: shape
    table = torch.zeros(length, d)
    table[:, ::2] = angle.sin()
    return table


# run: Positions(8)(randn(2, 5, 8)), angles(5, 8)
