import torch
from jaxtyping import Float
from torch import Tensor, nn


class Stem(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 32, kernel_size=3, padding=1)
        self.norm = nn.BatchNorm2d(32)
        self.conv2 = nn.Conv2d(32, 64, kernel_size=3, stride=2, padding=1)  #! self.conv2 = nn.Conv2d(64, 64, kernel_size=3, stride=2, padding=1)

    def forward(self, x: Float[Tensor, "b 3 h w"]) -> Float[Tensor, "b 64 _ _"]:
        x = self.norm(self.conv1(x)).relu()
        return self.conv2(x)  # E: shape


# run: Stem()(randn(2, 3, 16, 20))
