import torch
from jaxtyping import Float
from torch import Tensor, nn


class GatedUnit(nn.Module):
    def forward(self, x: Float[Tensor, "*lead both"]) -> Float[Tensor, "*lead half"]:
        x, gate = x.chunk(2, dim=-1)
        return x * torch.sigmoid(gate)


class FeedForward(nn.Module):
    def __init__(self, width: int, factor: int = 4) -> None:
        super().__init__()
        inner = width * factor
        self.net = nn.Sequential(
            nn.Linear(width, 2 * inner),  #! nn.Linear(width, inner),
            GatedUnit(),
            nn.Linear(inner, width),
        )

    def forward(self, x: Float[Tensor, "batch width"]) -> Float[Tensor, "batch width"]:
        return self.net(x)  # E: shape


class PixelAttention(nn.Module):
    def __init__(self, channels: int, heads: int = 2) -> None:
        super().__init__()
        self.heads = heads
        self.project = nn.Conv2d(channels, 3 * channels, 1)  #! self.project = nn.Conv2d(channels, 2 * channels, 1)

    def forward(self, x: Float[Tensor, "batch channels high wide"]) -> Float[Tensor, "batch heads pixels part"]:
        b, c, h, w = x.shape
        parts = self.project(x).view(b, 3 * self.heads, c // self.heads, h * w)  # E: shape
        query, key, value = parts.transpose(2, 3).chunk(3, dim=1)
        return torch.softmax(query @ key.mT, -1) @ value


# run: FeedForward(6)(randn(2, 6)), PixelAttention(6)(randn(2, 6, 4, 5))
