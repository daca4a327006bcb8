import math

import torch
from jaxtyping import Float
from torch import Tensor, nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model: int, max_len: int = 5000) -> None:
        super().__init__()
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, 1, d_model)
        pe[:, 0, 0::2] = torch.sin(position * div_term)
        pe[:, 0, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe)

    def forward(self, x: Float[Tensor, "seq batch d_model"]) -> Float[Tensor, "seq batch d_model"]:
        return x + self.pe[: x.size(0)]  #! return x + self.pe[: x.size(0)].squeeze(1)  # E: shape


# run: PositionalEncoding(6)(randn(5, 3, 6))
