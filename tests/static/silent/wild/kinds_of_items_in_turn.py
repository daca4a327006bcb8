"""A loop over modules of several kinds: which of them the first is, a test of the item does not say."""

import torch
from jaxtyping import Float
from torch import Tensor, nn


class Merge(nn.Module):
    def __init__(self, below: int, skipped: int, above: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(below + skipped, above, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        return self.conv(x)


class Upsample(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv = nn.ConvTranspose2d(channels, channels, 4, 2, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.conv(x)


class Decoder(nn.Module):
    def __init__(self, channels: int, multiples: tuple[int, ...] = (1, 2, 2, 4), blocks: int = 2) -> None:
        super().__init__()
        inner = channels * 16
        self.middle = nn.Conv2d(channels, inner, 3, padding=1)
        up: list[nn.Module] = []
        for i in reversed(range(len(multiples))):
            for _ in range(blocks):
                up.append(Merge(inner, inner, inner))
            outer = inner // multiples[i]
            up.append(Merge(inner, inner, outer))
            inner = outer
            if i > 0:
                up.append(Upsample(inner))
        self.up = nn.ModuleList(up)

    def forward(self, x: Float[Tensor, "b c h w"]) -> Tensor:
        x = self.middle(x)
        for module in self.up:
            if isinstance(module, Upsample):
                x = module(x)
            else:
                x = module(torch.cat((x, x), dim=1))
        return x


class Skipping(nn.Module):
    def __init__(self, width: int, depth: int, skips: list[int]) -> None:
        super().__init__()
        self.first = nn.Linear(3, width)
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
        self.join = nn.Linear(2 * width, width)
        self.skips = skips

    def forward(self, points: Float[Tensor, "n 3"]) -> Tensor:
        x, before = self.first(points), points
        for i, layer in enumerate(self.layers):
            if i in self.skips:
                x = self.join(torch.cat([x, before], dim=-1))
            before = x
            x = layer(x).relu()
        return x


# run: assert Decoder(4)(torch.zeros(1, 4, 8, 8)).shape == (1, 4, 64, 64); assert Skipping(8, 4, [2])(torch.zeros(5, 3)).shape == (5, 8)
