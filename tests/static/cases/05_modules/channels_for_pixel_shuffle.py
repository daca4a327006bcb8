import torch
from jaxtyping import Float
from torch import Tensor, nn


class SuperRes(nn.Module):
    def __init__(self, scale: int, channels: int = 16):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, channels, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(channels, 3 * scale**2, 3, padding=1),  #! nn.Conv2d(channels, 3 * scale, 3, padding=1),
        )
        self.shuffle = nn.PixelShuffle(scale)

    def forward(self, x: Float[Tensor, "b 3 h w"]) -> Float[Tensor, "b 3 H W"]:
        return self.shuffle(self.body(x))  # E: shape


sr = SuperRes(4)
y = sr(torch.randn(1, 3, 8, 8))


# run: pass
