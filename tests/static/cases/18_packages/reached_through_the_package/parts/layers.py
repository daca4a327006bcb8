from jaxtyping import Float
from torch import Tensor, nn


class Shared(nn.Module):
    """Calls its parts with one axis more."""

    def __call__(self, x: Tensor) -> Tensor:
        return super().__call__(x.unsqueeze(-1) if x.ndim == 1 else x)


class Project(nn.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.linear = nn.Linear(d_in, d_out)

    def forward(self, x: Float[Tensor, "b d_in"]) -> Float[Tensor, "b d_out"]:
        return self.linear(x)
