from jaxtyping import Float
from torch import Tensor, nn


class Backbone(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 128), nn.ReLU())
        self.head = nn.Linear(64, 5)

    def forward(self, x: Float[Tensor, "b 32"]) -> Float[Tensor, "b 5"]:
        early = self.layers[:2](x)  #! early = self.layers(x)
        return self.head(early)  # E: shape


# run: Backbone()(randn(3, 32))
