import torch
from jaxtyping import Float
from torch import Tensor, nn


class BiEncoder(nn.Module):
    def __init__(self, d: int, h: int) -> None:
        super().__init__()
        self.rnn = nn.LSTM(d, h, bidirectional=True, batch_first=True)
        self.proj = nn.Linear(2 * h, h)

    def forward(self, x: Float[Tensor, "b t d"]) -> Float[Tensor, "b h"]:
        _, (hidden, _) = self.rnn(x)
        both = torch.cat([hidden[-2], hidden[-1]], dim=-1)  #! both = torch.cat([hidden[-2], hidden[-1]], dim=0)
        return self.proj(both)  # E: shape


# run: BiEncoder(3, 5)(randn(2, 7, 3))
