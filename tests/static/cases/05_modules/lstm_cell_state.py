import torch
from jaxtyping import Float
from torch import Tensor, nn


class Controller(nn.Module):
    def __init__(self, d_in: int, d_hidden: int) -> None:
        super().__init__()
        self.cell = nn.LSTMCell(d_in, d_hidden)
        self.d_hidden = d_hidden

    def forward(self, x: Float[Tensor, "time batch d_in"]) -> Float[Tensor, "batch d_hidden"]:
        h = torch.zeros(x.shape[1], self.d_hidden)  #! h = torch.zeros(x.shape[0], self.d_hidden)
        c = torch.zeros_like(h)
        for step in x:
            h, c = self.cell(step, (h, c))  # E: shape
        return h  # e: shape


# run: Controller(3, 5)(randn(7, 2, 3))
