from jaxtyping import Float
from torch import Tensor, nn


class GatedConv(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv = nn.Conv1d(channels, 2 * channels, 3, padding=1)

    def forward(self, x: Float[Tensor, "b channels t"]) -> Float[Tensor, "b channels t"]:
        value, gate = self.conv(x).chunk(2, dim=1)  #! value, gate = self.conv(x).chunk(2, dim=2)
        return x + value.tanh() * gate.sigmoid()  # E: shape


# run: GatedConv(5)(randn(2, 5, 8))
