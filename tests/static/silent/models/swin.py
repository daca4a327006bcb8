"""Shifted-window attention with relative position tables and patch merging."""

import torch
import torch.nn as nn
from jaxtyping import Float, Int
from torch import Tensor


def window_partition(x: Float[Tensor, "b h w c"], size: int) -> Float[Tensor, "windows {size} {size} c"]:
    B, H, W, C = x.shape
    x = x.view(B, H // size, size, W // size, size, C)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, size, size, C)


def window_reverse(
    windows: Float[Tensor, "n size size c"], size: int, H: int, W: int
) -> Float[Tensor, "b {H} {W} c"]:
    B = int(windows.shape[0] / (H * W / size / size))
    x = windows.view(B, H // size, W // size, size, size, -1)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(B, H, W, -1)


def relative_index(size: int) -> Int[Tensor, "{size}*{size} {size}*{size}"]:
    coords = torch.stack(torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij"))
    flat = torch.flatten(coords, 1)
    relative = flat[:, :, None] - flat[:, None, :]
    relative = relative.permute(1, 2, 0).contiguous()
    relative[:, :, 0] += size - 1
    relative[:, :, 1] += size - 1
    relative[:, :, 0] *= 2 * size - 1
    return relative.sum(-1)


class WindowAttention(nn.Module):
    def __init__(self, dim: int, window_size: int, num_heads: int) -> None:
        super().__init__()
        self.window_size = window_size
        self.num_heads = num_heads
        self.scale = (dim // num_heads) ** -0.5
        self.bias_table = nn.Parameter(torch.zeros((2 * window_size - 1) ** 2, num_heads))
        self.register_buffer("index", relative_index(window_size))
        self.qkv = nn.Linear(dim, dim * 3)
        self.proj = nn.Linear(dim, dim)

    def forward(
        self, x: Float[Tensor, "windows n dim"], mask: Float[Tensor, "per_image n n"] | None = None
    ) -> Float[Tensor, "windows n dim"]:
        B_, N, C = x.shape
        qkv = self.qkv(x).reshape(B_, N, 3, self.num_heads, C // self.num_heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        attn = (q * self.scale) @ k.transpose(-2, -1)
        area = self.window_size**2
        bias = self.bias_table[self.index.view(-1)].view(area, area, -1)
        bias = bias.permute(2, 0, 1).contiguous()
        attn = attn + bias.unsqueeze(0)
        if mask is not None:
            nW = mask.shape[0]
            attn = attn.view(B_ // nW, nW, self.num_heads, N, N) + mask.unsqueeze(1).unsqueeze(0)
            attn = attn.view(-1, self.num_heads, N, N)
        attn = attn.softmax(dim=-1)
        x = (attn @ v).transpose(1, 2).reshape(B_, N, C)
        return self.proj(x)


def shift_mask(H: int, W: int, size: int, shift: int) -> Float[Tensor, "windows n n"]:
    img = torch.zeros((1, H, W, 1))
    slices = (slice(0, -size), slice(-size, -shift), slice(-shift, None))
    cnt = 0
    for h in slices:
        for w in slices:
            img[:, h, w, :] = cnt
            cnt += 1
    windows = window_partition(img, size).view(-1, size * size)
    mask = windows.unsqueeze(1) - windows.unsqueeze(2)
    return mask.masked_fill(mask != 0, -100.0).masked_fill(mask == 0, 0.0)


class SwinBlock(nn.Module):
    def __init__(self, dim: int, resolution: tuple[int, int], num_heads: int, window_size: int, shift: int = 0) -> None:
        super().__init__()
        self.resolution = resolution
        self.window_size, self.shift = window_size, shift
        self.norm1 = nn.LayerNorm(dim)
        self.attn = WindowAttention(dim, window_size, num_heads)
        self.norm2 = nn.LayerNorm(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))
        mask = shift_mask(*resolution, window_size, shift) if shift > 0 else None
        self.register_buffer("attn_mask", mask)

    def forward(self, x: Float[Tensor, "b l dim"]) -> Float[Tensor, "b l dim"]:
        H, W = self.resolution
        B, L, C = x.shape
        assert L == H * W, "input feature has wrong size"
        shortcut = x
        x = self.norm1(x).view(B, H, W, C)
        if self.shift > 0:
            shifted_x = torch.roll(x, shifts=(-self.shift, -self.shift), dims=(1, 2))
        else:
            shifted_x = x
        windows = window_partition(shifted_x, self.window_size)
        windows = windows.view(-1, self.window_size * self.window_size, C)
        attended = self.attn(windows, mask=self.attn_mask)
        attended = attended.view(-1, self.window_size, self.window_size, C)
        shifted_x = window_reverse(attended, self.window_size, H, W)
        if self.shift > 0:
            x = torch.roll(shifted_x, shifts=(self.shift, self.shift), dims=(1, 2))
        else:
            x = shifted_x
        x = shortcut + x.view(B, H * W, C)
        return x + self.mlp(self.norm2(x))


class PatchMerging(nn.Module):
    def __init__(self, resolution: tuple[int, int], dim: int) -> None:
        super().__init__()
        self.resolution = resolution
        self.reduction = nn.Linear(4 * dim, 2 * dim, bias=False)
        self.norm = nn.LayerNorm(4 * dim)

    def forward(self, x: Float[Tensor, "b l dim"]) -> Float[Tensor, "b l//4 2*dim"]:
        H, W = self.resolution
        B, L, C = x.shape
        x = x.view(B, H, W, C)
        x0 = x[:, 0::2, 0::2, :]
        x1 = x[:, 1::2, 0::2, :]
        x2 = x[:, 0::2, 1::2, :]
        x3 = x[:, 1::2, 1::2, :]
        x = torch.cat([x0, x1, x2, x3], -1)
        x = x.view(B, -1, 4 * C)
        return self.reduction(self.norm(x))


class Swin(nn.Module):
    def __init__(self, classes: int, dim: int = 6, size: int = 8, window: int = 4) -> None:
        super().__init__()
        self.embed = nn.Conv2d(3, dim, 2, stride=2)
        self.stage = nn.Sequential(
            SwinBlock(dim, (size, size), 2, window), SwinBlock(dim, (size, size), 2, window, shift=window // 2)
        )
        self.merge = PatchMerging((size, size), dim)
        self.head = nn.Linear(2 * dim, classes)

    def forward(self, x: Float[Tensor, "b 3 h w"]) -> Float[Tensor, "b classes"]:
        x = self.embed(x).flatten(2).transpose(1, 2)
        x = self.merge(self.stage(x))
        return self.head(x.mean(1))


# run: Swin(11)(randn(3, 3, 16, 16))
# run: window_reverse(window_partition(randn(2, 6, 9, 5), 3), 3, 6, 9)
