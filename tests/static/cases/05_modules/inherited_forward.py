from jaxtyping import Float
from torch import Tensor, nn


class Base(nn.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.proj = nn.Linear(d_in, d_out)

    def forward(self, x: Float[Tensor, "n d_in"]) -> Float[Tensor, "n d_out"]:
        return self.proj(x)


class Normalised(Base):
    def forward(self, x: Float[Tensor, "n d_in"]) -> Float[Tensor, "n d_out"]:
        y = super().forward(x)
        return y / y.norm(dim=-1, keepdim=True)  #! return y / y.norm(dim=-1)  # E: shape


# run: Normalised(3, 5)(randn(7, 3))
