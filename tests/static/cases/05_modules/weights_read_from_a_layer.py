import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn


class Tied(nn.Module):
    def __init__(self, dim: int, hidden: int) -> None:
        super().__init__()
        self.enc = nn.Linear(dim, hidden)

    def forward(self, x: Float[Tensor, "b dim"]) -> Float[Tensor, "b dim"]:
        z = self.enc(x).relu()
        return F.linear(z, self.enc.weight.t())  #! return F.linear(z, self.enc.weight)  # E: shape


# run: Tied(3, 5)(randn(2, 3))
