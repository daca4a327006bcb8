import torch
from jaxtyping import Float
from torch import Tensor, nn


class StateSpace(nn.Module):
    def __init__(self, d_model: int, d_inner: int) -> None:
        super().__init__()
        self.inp = nn.Linear(d_model, d_inner)
        self.out = nn.Linear(d_inner, d_model)
        self.skip = nn.Parameter(torch.ones(d_inner))  #! self.skip = nn.Parameter(torch.ones(d_model))

    def scan(self, u: Float[Tensor, "b l d"]) -> Float[Tensor, "b l d"]:
        return u.cumsum(dim=1) + u * self.skip

    def forward(self, x: Float[Tensor, "b l d_model"]) -> Float[Tensor, "b l d_model"]:
        return self.out(self.scan(self.inp(x)))  # E: shape


# run: StateSpace(3, 5)(randn(2, 7, 3))
