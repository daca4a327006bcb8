"""Diffusion transformer with adaptive layer norm, rectified flow training and Euler sampling."""

import math

import numpy as np
import torch
import torch.nn.functional as F
from einops import rearrange
from jaxtyping import Float, Int
from torch import Tensor, nn


def modulate(x: Float[Tensor, "b n d"], shift: Float[Tensor, "b d"], scale: Float[Tensor, "b d"]) -> Float[Tensor, "b n d"]:
    return x * (1 + scale.unsqueeze(1)) + shift.unsqueeze(1)


def sincos_1d(dim: int, pos: Float[np.ndarray, "n"]) -> Float[np.ndarray, "n {dim}"]:
    omega = 1.0 / 10000 ** (np.arange(dim // 2) / (dim / 2.0))
    out = np.outer(pos, omega)
    return np.concatenate([np.sin(out), np.cos(out)], axis=1)


def sincos_2d(dim: int, grid: int) -> Float[Tensor, "n {dim}"]:
    coords = np.arange(grid, dtype=np.float64)
    y, x = np.meshgrid(coords, coords, indexing="ij")
    emb = np.concatenate([sincos_1d(dim // 2, y.reshape(-1)), sincos_1d(dim // 2, x.reshape(-1))], axis=1)
    return torch.from_numpy(emb).float()


class TimestepEmbedder(nn.Module):
    def __init__(self, hidden: int, freq_dim: int = 32):
        super().__init__()
        self.freq_dim = freq_dim
        self.mlp = nn.Sequential(nn.Linear(freq_dim, hidden), nn.SiLU(), nn.Linear(hidden, hidden))

    def forward(self, t: Float[Tensor, "b"]) -> Float[Tensor, "b hidden"]:
        half = self.freq_dim // 2
        freqs = torch.exp(-math.log(10_000) * torch.arange(half, dtype=torch.float32) / half)
        args = t[:, None] * freqs[None]
        return self.mlp(torch.cat([args.cos(), args.sin()], dim=-1))


class LabelEmbedder(nn.Module):
    def __init__(self, num_classes: int, hidden: int, drop: float = 0.1):
        super().__init__()
        self.table = nn.Embedding(num_classes + 1, hidden)
        self.num_classes, self.drop = num_classes, drop

    def forward(self, labels: Int[Tensor, "b"]) -> Float[Tensor, "b hidden"]:
        if self.training and self.drop > 0:
            dropped = torch.rand(labels.shape[0], device=labels.device) < self.drop
            labels = torch.where(dropped, self.num_classes, labels)
        return self.table(labels)


class Attention(nn.Module):
    def __init__(self, dim: int, heads: int):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, dim * 3)
        self.q_norm = nn.LayerNorm(dim // heads)
        self.k_norm = nn.LayerNorm(dim // heads)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x: Float[Tensor, "b n dim"]) -> Float[Tensor, "b n dim"]:
        b, n, c = x.shape
        qkv = self.qkv(x).reshape(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        q, k = self.q_norm(q), self.k_norm(k)
        out = F.scaled_dot_product_attention(q, k, v)
        return self.proj(out.transpose(1, 2).reshape(b, n, c))


class DiTBlock(nn.Module):
    def __init__(self, hidden: int, heads: int, mlp_ratio: int = 4):
        super().__init__()
        self.norm1 = nn.LayerNorm(hidden, elementwise_affine=False)
        self.attn = Attention(hidden, heads)
        self.norm2 = nn.LayerNorm(hidden, elementwise_affine=False)
        self.mlp = nn.Sequential(
            nn.Linear(hidden, hidden * mlp_ratio), nn.GELU(approximate="tanh"), nn.Linear(hidden * mlp_ratio, hidden)
        )
        self.ada = nn.Sequential(nn.SiLU(), nn.Linear(hidden, 6 * hidden))

    def forward(self, x: Float[Tensor, "b n hidden"], c: Float[Tensor, "b hidden"]) -> Float[Tensor, "b n hidden"]:
        shift1, scale1, gate1, shift2, scale2, gate2 = self.ada(c).chunk(6, dim=1)
        x = x + gate1.unsqueeze(1) * self.attn(modulate(self.norm1(x), shift1, scale1))
        return x + gate2.unsqueeze(1) * self.mlp(modulate(self.norm2(x), shift2, scale2))


class DiT(nn.Module):
    pos: Float[Tensor, "n hidden"]

    def __init__(self, size: int = 8, patch: int = 2, channels: int = 4, hidden: int = 24, heads: int = 3, depth: int = 2, classes: int = 10):
        super().__init__()
        self.size, self.patch, self.channels = size, patch, channels
        self.x_embed = nn.Conv2d(channels, hidden, kernel_size=patch, stride=patch)
        self.t_embed = TimestepEmbedder(hidden)
        self.y_embed = LabelEmbedder(classes, hidden)
        self.register_buffer("pos", sincos_2d(hidden, size // patch))
        self.blocks = nn.ModuleList([DiTBlock(hidden, heads) for _ in range(depth)])
        self.final_norm = nn.LayerNorm(hidden, elementwise_affine=False)
        self.final_ada = nn.Linear(hidden, 2 * hidden)
        self.final = nn.Linear(hidden, patch * patch * channels)

    def unpatchify(self, x: Float[Tensor, "b n p2c"]) -> Float[Tensor, "b c h w"]:
        grid = self.size // self.patch
        return rearrange(x, "b (h w) (p q c) -> b c (h p) (w q)", h=grid, w=grid, p=self.patch, q=self.patch)

    def forward(self, x: Float[Tensor, "b c h w"], t: Float[Tensor, "b"], y: Int[Tensor, "b"]) -> Float[Tensor, "b c h w"]:
        h = self.x_embed(x).flatten(2).transpose(1, 2) + self.pos
        cond = self.t_embed(t) + self.y_embed(y)
        for block in self.blocks:
            h = block(h, cond)
        shift, scale = self.final_ada(F.silu(cond)).chunk(2, dim=-1)
        return self.unpatchify(self.final(modulate(self.final_norm(h), shift, scale)))


def flow_loss(model: DiT, x1: Float[Tensor, "b c h w"], y: Int[Tensor, "b"]) -> Float[Tensor, ""]:
    x0 = torch.randn_like(x1)
    t = torch.sigmoid(torch.randn(x1.shape[0]))
    xt = t[:, None, None, None] * x1 + (1 - t[:, None, None, None]) * x0
    return F.mse_loss(model(xt, t, y), x1 - x0)


@torch.no_grad()
def sample(model: DiT, y: Int[Tensor, "b"], steps: int, cfg: float = 2.0) -> Float[Tensor, "b c h w"]:
    x = torch.randn(len(y), model.channels, model.size, model.size)
    null = torch.full_like(y, model.y_embed.num_classes)
    labels = torch.cat([y, null], dim=0)
    for i in range(steps):
        t = torch.full((2 * len(y),), i / steps)
        v = model(torch.cat([x, x], dim=0), t, labels)
        cond, uncond = v.chunk(2, dim=0)
        x = x + (uncond + cfg * (cond - uncond)) / steps
    return x


# run: m = DiT(); flow_loss(m, randn(3, 4, 8, 8), randint(0, 10, (3,))).backward(); sample(m.eval(), randint(0, 10, (2,)), 2)
