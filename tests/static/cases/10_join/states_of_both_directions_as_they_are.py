import torch
from jaxtyping import Float
from torch import Tensor, nn


class Reader(nn.Module):
    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(width, hidden, batch_first=True, bidirectional=True)

    def forward(self, x: Float[Tensor, "batch time width"]) -> Float[Tensor, "batch both"]:
        _, (last, _) = self.lstm(x)
        return torch.cat((last[0], last[1]), dim=-1)  #! return torch.cat(last, dim=-1)  # E: shape


# run: Reader(3, 4)(torch.randn(2, 5, 3))
