import torch
from jaxtyping import Float
from torch import Tensor, nn


class Recurrent(nn.Module):
    def __init__(self, d_in: int, d_hidden: int) -> None:
        super().__init__()
        self.cell = nn.GRUCell(d_in, d_hidden)
        self.d_hidden = d_hidden

    def forward(self, x: Float[Tensor, "batch time d_in"]) -> Float[Tensor, "batch time d_hidden"]:
        h = x.new_zeros(x.shape[0], self.d_hidden)
        outputs = []
        for t in range(x.shape[1]):
            h = self.cell(x[:, t], h)
            outputs.append(h)
        return torch.stack(outputs, dim=1)  #! return torch.stack(outputs, dim=-1)  # E: shape


# run: Recurrent(3, 5)(randn(2, 7, 3))
