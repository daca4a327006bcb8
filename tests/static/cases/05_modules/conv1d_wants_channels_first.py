from jaxtyping import Float
from torch import Tensor, nn


class Causal(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, kernel_size=4, padding=3)

    def forward(self, x: Float[Tensor, "batch time channels"]) -> Float[Tensor, "batch time channels"]:
        y = self.conv(x.transpose(1, 2))[..., : x.shape[1]]  #! y = self.conv(x.transpose(1, 2))[..., : x.shape[2]]
        return y.transpose(1, 2)  # E: shape


# run: Causal(5)(randn(2, 7, 5))
