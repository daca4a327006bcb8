"""Denoising diffusion on images: a small U-Net with attention, training step and sampler."""
import math
from typing import Literal

import torch
import torch.nn.functional as F
from einops import rearrange
from jaxtyping import Float, Int
from torch import Tensor, nn


def sinusoidal(t: Int[Tensor, "b"], dim: int) -> Float[Tensor, "b dim"]:
    half = dim // 2
    freqs = torch.exp(-math.log(10_000) * torch.arange(half, device=t.device) / (half - 1))
    args = t[:, None].float() * freqs[None, :]
    return torch.cat([args.sin(), args.cos()], dim=-1)


class ResBlock(nn.Module):
    def __init__(self, c_in: int, c_out: int, t_dim: int, groups: int = 4):
        super().__init__()
        self.norm1 = nn.GroupNorm(groups, c_in)
        self.conv1 = nn.Conv2d(c_in, c_out, 3, padding=1)
        self.emb = nn.Sequential(nn.SiLU(), nn.Linear(t_dim, 2 * c_out))
        self.norm2 = nn.GroupNorm(groups, c_out)
        self.conv2 = nn.Conv2d(c_out, c_out, 3, padding=1)
        self.skip = nn.Conv2d(c_in, c_out, 1) if c_in != c_out else nn.Identity()

    def forward(self, x: Float[Tensor, "b c_in h w"], t: Float[Tensor, "b t_dim"]) -> Float[Tensor, "b c_out h w"]:
        h = self.conv1(F.silu(self.norm1(x)))
        scale, shift = self.emb(t)[..., None, None].chunk(2, dim=1)
        h = self.norm2(h) * (1 + scale) + shift
        h = self.conv2(F.silu(h))
        return h + self.skip(x)


class AttnBlock(nn.Module):
    def __init__(self, c: int, heads: int = 2):
        super().__init__()
        self.heads = heads
        self.norm = nn.GroupNorm(4, c)
        self.qkv = nn.Conv2d(c, 3 * c, 1)
        self.proj = nn.Conv2d(c, c, 1)

    def forward(self, x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b c h w"]:
        _, _, h, w = x.shape
        q, k, v = rearrange(self.qkv(self.norm(x)), "b (three n d) h w -> three b n (h w) d", three=3, n=self.heads)
        y = F.scaled_dot_product_attention(q, k, v)
        y = rearrange(y, "b n (h w) d -> b (n d) h w", h=h, w=w)
        return x + self.proj(y)


class UNet(nn.Module):
    def __init__(self, channels: int = 3, base: int = 8, t_dim: int = 32):
        super().__init__()
        self.t_dim = t_dim
        self.time = nn.Sequential(nn.Linear(t_dim, t_dim), nn.SiLU(), nn.Linear(t_dim, t_dim))
        self.inp = nn.Conv2d(channels, base, 3, padding=1)
        self.down1 = ResBlock(base, base, t_dim)
        self.pool1 = nn.Conv2d(base, 2 * base, 3, stride=2, padding=1)
        self.down2 = ResBlock(2 * base, 2 * base, t_dim)
        self.mid = nn.ModuleList([ResBlock(2 * base, 2 * base, t_dim), AttnBlock(2 * base)])
        self.up = nn.ConvTranspose2d(2 * base, base, 4, stride=2, padding=1)
        self.up1 = ResBlock(2 * base, base, t_dim)
        self.out = nn.Sequential(nn.GroupNorm(4, base), nn.SiLU(), nn.Conv2d(base, channels, 3, padding=1))

    def forward(self, x: Float[Tensor, "b channels height width"], t: Int[Tensor, "b"]) -> Float[Tensor, "b channels height width"]:
        emb = self.time(sinusoidal(t, self.t_dim))
        h1 = self.down1(self.inp(x), emb)
        h2 = self.down2(self.pool1(h1), emb)
        res, attn = self.mid
        h = attn(res(h2, emb))
        h = torch.cat([self.up(h), h1], dim=1)
        return self.out(self.up1(h, emb))


class Diffusion(nn.Module):
    betas: Float[Tensor, "steps"]
    alpha_bar: Float[Tensor, "steps"]

    def __init__(self, model: UNet, steps: int = 10, kind: Literal["linear", "cosine"] = "cosine"):
        super().__init__()
        self.model, self.steps = model, steps
        if kind == "linear":
            betas = torch.linspace(1e-4, 0.02, steps)
        else:
            ts = torch.linspace(0, 1, steps + 1)
            f = torch.cos((ts + 0.008) / 1.008 * math.pi / 2).square()
            betas = (1 - f[1:] / f[:-1]).clamp(max=0.999)
        self.register_buffer("betas", betas)
        self.register_buffer("alpha_bar", torch.cumprod(1 - betas, dim=0))

    def extract(self, values: Float[Tensor, "steps"], t: Int[Tensor, "b"]) -> Float[Tensor, "b 1 1 1"]:
        return values[t].view(-1, 1, 1, 1)

    def loss(self, x0: Float[Tensor, "b c h w"]) -> Float[Tensor, ""]:
        t = torch.randint(0, self.steps, (x0.shape[0],), device=x0.device)
        noise = torch.randn_like(x0)
        ab = self.extract(self.alpha_bar, t)
        xt = ab.sqrt() * x0 + (1 - ab).sqrt() * noise
        return F.mse_loss(self.model(xt, t), noise)

    @torch.no_grad()
    def sample(self, n: int, shape: tuple[int, int, int]) -> Float[Tensor, "n c h w"]:
        x = torch.randn(n, *shape)
        for i in reversed(range(self.steps)):
            t = torch.full((n,), i, dtype=torch.long)
            eps = self.model(x, t)
            beta, ab = self.extract(self.betas, t), self.extract(self.alpha_bar, t)
            mean = (x - beta / (1 - ab).sqrt() * eps) / (1 - beta).sqrt()
            x = mean + (beta.sqrt() * torch.randn_like(x) if i > 0 else 0.0)
        return x


def example() -> None:
    d = Diffusion(UNet())
    d.loss(torch.randn(2, 3, 8, 8)).backward()
    assert d.sample(2, (3, 8, 8)).shape == (2, 3, 8, 8)


# run: example()
