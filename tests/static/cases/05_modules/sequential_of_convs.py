import torch
from jaxtyping import Float
from torch import Tensor, nn


def block(c_in: int, c_out: int) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(c_in, c_out, 3, padding=1), nn.BatchNorm2d(c_out), nn.ReLU())


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.down1 = block(3, 16)
        self.down2 = block(16, 32)  #! self.down2 = block(32, 32)
        self.pool = nn.MaxPool2d(2)

    def forward(self, x: Float[Tensor, "b 3 64 64"]) -> Float[Tensor, "b 32 32 32"]:
        x = self.pool(self.down1(x))
        return self.down2(x)  # E: shape


# run: Encoder()(randn(2, 3, 64, 64))
