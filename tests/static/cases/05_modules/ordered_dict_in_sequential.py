from collections import OrderedDict

from jaxtyping import Float
from torch import Tensor, nn


class Projector(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            OrderedDict(
                [
                    ("fc1", nn.Linear(2048, 512)),
                    ("act", nn.GELU()),
                    ("fc2", nn.Linear(512, 128)),  #! ("fc2", nn.Linear(2048, 128)),
                ]
            )
        )

    def forward(self, x: Float[Tensor, "n 2048"]) -> Float[Tensor, "n 128"]:
        return self.layers(x)  # E: shape


# run: Projector()(randn(3, 2048))
