"""A time-conditioned UNet for images."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F


def timestep_embedding(t: Float[Tensor, "batch"], dim: int, max_period: float = 10000.0) -> Float[Tensor, "batch {dim}"]:
    half = dim // 2
    freqs = torch.exp(-math.log(max_period) * torch.arange(half, dtype=torch.float32) / half)
    args = t[:, None] * freqs[None]
    embedding = torch.cat([torch.cos(args), torch.sin(args)], dim=-1)
    if dim % 2:
        embedding = torch.cat([embedding, torch.zeros_like(embedding[:, :1])], dim=-1)
    return embedding


class ResBlock(nn.Module):
    def __init__(self, c_in: int, c_out: int, t_dim: int) -> None:
        super().__init__()
        self.norm1 = nn.GroupNorm(2, c_in)
        self.conv1 = nn.Conv2d(c_in, c_out, 3, padding=1)
        self.time = nn.Linear(t_dim, c_out)
        self.norm2 = nn.GroupNorm(2, c_out)
        self.conv2 = nn.Conv2d(c_out, c_out, 3, padding=1)
        self.skip = nn.Conv2d(c_in, c_out, 1) if c_in != c_out else nn.Identity()

    def forward(
        self, x: Float[Tensor, "batch c_in height width"], emb: Float[Tensor, "batch t_dim"]
    ) -> Float[Tensor, "batch c_out height width"]:
        h = self.conv1(F.silu(self.norm1(x)))
        h = h + self.time(F.silu(emb))[:, :, None, None]
        h = self.conv2(F.silu(self.norm2(h)))
        return self.skip(x) + h


class SpatialAttention(nn.Module):
    def __init__(self, channels: int, heads: int = 2) -> None:
        super().__init__()
        self.heads = heads
        self.norm = nn.GroupNorm(2, channels)
        self.qkv = nn.Conv1d(channels, channels * 3, 1)
        self.proj = nn.Conv1d(channels, channels, 1)

    def forward(self, x: Float[Tensor, "batch channels height width"]) -> Float[Tensor, "batch channels height width"]:
        b, c, h, w = x.shape
        flat = self.norm(x).reshape(b, c, h * w)
        q, k, v = self.qkv(flat).reshape(b * self.heads, 3 * (c // self.heads), h * w).chunk(3, dim=1)
        weight = torch.einsum("bct,bcs->bts", q, k) / math.sqrt(c // self.heads)
        a = torch.einsum("bts,bcs->bct", weight.softmax(dim=-1), v)
        out = self.proj(a.reshape(b, c, h * w))
        return x + out.view(b, c, h, w)


class Downsample(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.op = nn.Conv2d(channels, channels, 3, stride=2, padding=1)

    def forward(self, x: Float[Tensor, "batch channels height width"]) -> Float[Tensor, "batch channels _ _"]:
        return self.op(x)


class Upsample(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(
        self, x: Float[Tensor, "batch channels height width"]
    ) -> Float[Tensor, "batch channels 2*height 2*width"]:
        x = F.interpolate(x, scale_factor=2, mode="nearest")
        return self.conv(x)


class UNet(nn.Module):
    def __init__(self, in_channels: int = 3, base: int = 8, mults: tuple[int, ...] = (1, 2), t_dim: int = 20) -> None:
        super().__init__()
        self.t_dim = t_dim
        self.time_mlp = nn.Sequential(nn.Linear(t_dim, t_dim * 2), nn.SiLU(), nn.Linear(t_dim * 2, t_dim))
        self.stem = nn.Conv2d(in_channels, base, 3, padding=1)
        widths = [base, *(base * m for m in mults)]
        self.down_blocks = nn.ModuleList()
        self.downs = nn.ModuleList()
        for c_in, c_out in zip(widths[:-1], widths[1:]):
            self.down_blocks.append(ResBlock(c_in, c_out, t_dim))
            self.downs.append(Downsample(c_out))
        mid = widths[-1]
        self.mid1 = ResBlock(mid, mid, t_dim)
        self.mid_attn = SpatialAttention(mid)
        self.mid2 = ResBlock(mid, mid, t_dim)
        self.ups = nn.ModuleList()
        self.up_blocks = nn.ModuleList()
        for c_out, c_in in reversed(list(zip(widths[:-1], widths[1:]))):
            self.ups.append(Upsample(c_in))
            self.up_blocks.append(ResBlock(2 * c_in, c_out, t_dim))
        self.head = nn.Sequential(nn.GroupNorm(2, base), nn.SiLU(), nn.Conv2d(base, in_channels, 3, padding=1))

    def forward(
        self, x: Float[Tensor, "batch chan height width"], t: Float[Tensor, "batch"]
    ) -> Float[Tensor, "batch chan height width"]:
        emb = self.time_mlp(timestep_embedding(t, self.t_dim))
        h = self.stem(x)
        skips = []
        for block, down in zip(self.down_blocks, self.downs):
            h = block(h, emb)
            skips.append(h)
            h = down(h)
        h = self.mid2(self.mid_attn(self.mid1(h, emb)), emb)
        for up, block in zip(self.ups, self.up_blocks):
            h = up(h)
            h = torch.cat([h, skips.pop()], dim=1)
            h = block(h, emb)
        return self.head(h)


# run: UNet()(randn(3, 3, 16, 24), torch.rand(3))
# run: ResBlock(4, 6, 5)(randn(2, 4, 7, 11), randn(2, 5))
# run: SpatialAttention(4)(randn(2, 4, 5, 7))
# run: Upsample(4)(randn(2, 4, 5, 7))
# run: timestep_embedding(torch.rand(3), 7)
