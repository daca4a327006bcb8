from jaxtyping import Float
from torch import Tensor, nn


class MLP(nn.Module):
    def __init__(self, d: int, hidden: int) -> None:
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(d, hidden),
            nn.ReLU(),
            nn.Linear(hidden, d),  #! nn.Linear(d, hidden),
        )

    def forward(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
        return self.net(x)  # E: shape


# run: MLP(3, 5)(randn(2, 3))
