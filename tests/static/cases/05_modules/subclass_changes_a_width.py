import torch
from jaxtyping import Float
from torch import Tensor, nn


class Base(nn.Module):
    d_in = 8
    d_out = 4

    def __init__(self) -> None:
        super().__init__()
        self.proj = nn.Linear(self.d_in, self.d_out)

    def features(self, x: Float[Tensor, "b n"]) -> Tensor:
        return x

    def forward(self, x: Float[Tensor, "b n"]) -> Float[Tensor, "b o"]:
        return self.proj(self.features(x))


class Doubled(Base):
    d_in = 16  #! d_in = 12

    def features(self, x):
        return torch.cat([x, -x], dim=-1)


y = Doubled()(torch.randn(3, 8))  # E: shape


# run: pass
