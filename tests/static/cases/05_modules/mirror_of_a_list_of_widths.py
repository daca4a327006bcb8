import torch
from jaxtyping import Float
from torch import Tensor, nn


class Pyramid(nn.Module):
    def __init__(self, widths: list[int]):
        super().__init__()
        self.down = nn.ModuleList()
        for a, b in zip(widths, widths[1:]):
            self.down.append(nn.Conv2d(a, b, 3, stride=2, padding=1))
        self.up = nn.ModuleList()
        rev = widths[::-1]
        for a, b in zip(rev, rev[1:]):
            self.up.append(nn.ConvTranspose2d(a, b, 2, stride=2))

    def forward(self, x: Float[Tensor, "n c h w"]) -> Float[Tensor, "n c h w"]:
        skips = []
        for layer in self.down:
            skips.append(x)
            x = layer(x).relu()
        for layer in self.up:
            x = layer(x) + skips.pop()
        return x


net = Pyramid([3, 8, 16])
out = net(torch.randn(1, 3, 32, 32))  #! out = net(torch.randn(1, 1, 32, 32))  # E: shape


# run: pass
