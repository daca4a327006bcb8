import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn


class SPP(nn.Module):
    def __init__(self, channels, levels=(1, 2, 4)):
        super().__init__()
        self.levels = levels
        self.out = nn.Linear(channels * sum(n * n for n in levels), 32)

    def forward(self, x):
        return self.out(torch.cat([F.adaptive_max_pool2d(x, n).flatten(1) for n in self.levels], dim=1))


class Unpool(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.pool = nn.MaxPool2d(2, 2, return_indices=True)
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)
        self.unpool = nn.MaxUnpool2d(2, 2)

    def forward(self, x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b c h w"]:
        y, idx = self.pool(x)
        return x + self.unpool(self.conv(y), idx, output_size=x.shape[-2:])  #! return x + self.conv(y)  # E: shape


class Shuffle(nn.Module):
    def __init__(self, cin, cout, r):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout * r * r, 3, padding=1)
        self.shuffle = nn.PixelShuffle(r)

    def forward(self, x):
        return self.shuffle(self.conv(x))


class SE(nn.Module):
    def __init__(self, c, r=2):
        super().__init__()
        self.fc = nn.Sequential(nn.Linear(c, c // r), nn.ReLU(), nn.Linear(c // r, c), nn.Sigmoid())

    def forward(self, x):
        s = self.fc(x.mean((-2, -1)))
        return x * s[..., None, None]


def patches(x: Float[Tensor, "b c h w"], size: int) -> Float[Tensor, "b n k"]:
    p = x.unfold(2, size, size).unfold(3, size, size)
    b, c, nh, nw, _, _ = p.shape
    return p.permute(0, 2, 3, 1, 4, 5).reshape(b, nh * nw, c * size * size)


def main():
    x = torch.randn(2, 4, 13, 13)
    pooled = F.max_pool2d(x, 3, stride=2, ceil_mode=True)
    small = SE(4)(F.avg_pool2d(x, 2, ceil_mode=True))
    y = Shuffle(4, 3, 2)(small)
    z = y[:, :, :13, :13] + x[:, :3]
    tokens = patches(z[..., :12, :12], 4)
    head = nn.Linear(48, 5)
    return (head(tokens).sum() + SPP(4)(pooled).sum() + Unpool(4)(x[..., :12, :12]).sum()).item()


# run: main()
