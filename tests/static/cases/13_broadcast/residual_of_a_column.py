from jaxtyping import Float
from torch import Tensor, nn


class Regressor(nn.Module):
    def __init__(self, d: int) -> None:
        super().__init__()
        self.out = nn.Linear(d, 1)

    def forward(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b 1"]:
        return self.out(x)


def loss(model: Regressor, x: Float[Tensor, "b d"], y: Float[Tensor, "b"]) -> Float[Tensor, ""]:
    pred = model(x).squeeze(-1)  #! pred = model(x)
    return (pred - y).pow(2).mean()  # E: broadcast


# quiet: (b, 1) and (b,) broadcast to (b, b)
# run: loss(Regressor(5), randn(3, 5), randn(3))
