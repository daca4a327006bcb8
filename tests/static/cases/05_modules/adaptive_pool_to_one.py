from jaxtyping import Float
from torch import Tensor, nn


class SqueezeExcite(nn.Module):
    def __init__(self, channels: int, reduced: int) -> None:
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc1 = nn.Conv2d(channels, reduced, 1)
        self.fc2 = nn.Conv2d(reduced, channels, 1)

    def forward(self, x: Float[Tensor, "b channels h w"]) -> Float[Tensor, "b channels h w"]:
        gate = self.fc2(self.fc1(self.pool(x)).relu()).sigmoid()  #! gate = self.fc1(self.fc2(self.pool(x)).relu()).sigmoid()  # E: shape
        return x * gate


# run: SqueezeExcite(6, 2)(randn(2, 6, 5, 7))
