import torch
from jaxtyping import Float
from torch import Tensor, nn


class Slots(nn.Module):
    def __init__(self, n_slots: int, d: int):
        super().__init__()
        self.slots = nn.Parameter(torch.randn(n_slots, d))
        self.query = nn.Linear(d, d)

    def forward(self, x: Float[Tensor, "b n d"]) -> Float[Tensor, "b n d"]:
        weights = torch.einsum("bnd,sd->bns", self.query(x), self.slots).softmax(1)
        taken = torch.einsum("bns,bnd->bsd", weights, x)
        given = torch.einsum("bns,bsd->bnd", weights, taken)  #! given = taken
        return x + given  # E: shape


# run: Slots(3, 4)(randn(2, 5, 4))
