from jaxtyping import Float
from torch import Tensor, nn

from .layers import FeedForward


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.ff = FeedForward(64, 256)  #! self.ff = FeedForward(256, 64)

    def forward(self, x: Float[Tensor, "b s 64"]) -> Float[Tensor, "b s 64"]:
        return x + self.ff(x)  # E: shape


# run: Model()(randn(2, 3, 64))
