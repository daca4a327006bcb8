"""Latents that read from any input array and answer any query array."""

from collections.abc import Callable, Sequence
from functools import wraps
from math import pi

import torch
import torch.nn.functional as F
from einops import rearrange, reduce, repeat
from jaxtyping import Bool, Float
from torch import Tensor, einsum, nn


def exists(val):
    return val is not None


def default(val, d):
    return val if exists(val) else d


def cache_fn(f: Callable) -> Callable:
    cache = None

    @wraps(f)
    def cached_fn(*args, _cache=True, **kwargs):
        if not _cache:
            return f(*args, **kwargs)
        nonlocal cache
        if cache is not None:
            return cache
        cache = f(*args, **kwargs)
        return cache

    return cached_fn


def fourier_encode(x: Float[Tensor, "*pos"], max_freq: float, num_bands: int) -> Float[Tensor, "*pos 2*{num_bands}+1"]:
    x = x.unsqueeze(-1)
    orig_x = x
    scales = torch.linspace(1.0, max_freq / 2, num_bands)
    x = x * scales * pi
    x = torch.cat([x.sin(), x.cos()], dim=-1)
    return torch.cat((x, orig_x), dim=-1)


class PreNorm(nn.Module):
    def __init__(self, dim: int, fn: nn.Module, context_dim: int | None = None):
        super().__init__()
        self.fn = fn
        self.norm = nn.LayerNorm(dim)
        self.norm_context = nn.LayerNorm(context_dim) if exists(context_dim) else None

    def forward(self, x: Float[Tensor, "b n dim"], **kwargs) -> Float[Tensor, "b n dim"]:
        x = self.norm(x)
        if exists(self.norm_context):
            context = kwargs["context"]
            normed_context = self.norm_context(context)
            kwargs.update(context=normed_context)
        return self.fn(x, **kwargs)


class GEGLU(nn.Module):
    def forward(self, x: Float[Tensor, "*batch two_d"]) -> Float[Tensor, "*batch two_d//2"]:
        x, gates = x.chunk(2, dim=-1)
        return x * F.gelu(gates)


class FeedForward(nn.Module):
    def __init__(self, dim: int, mult: int = 4):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, dim * mult * 2), GEGLU(), nn.Linear(dim * mult, dim))

    def forward(self, x: Float[Tensor, "b n dim"]) -> Float[Tensor, "b n dim"]:
        return self.net(x)


class Attention(nn.Module):
    def __init__(self, query_dim: int, context_dim: int | None = None, heads: int = 8, dim_head: int = 64):
        super().__init__()
        inner_dim = dim_head * heads
        context_dim = default(context_dim, query_dim)
        self.scale = dim_head**-0.5
        self.heads = heads
        self.to_q = nn.Linear(query_dim, inner_dim, bias=False)
        self.to_kv = nn.Linear(context_dim, inner_dim * 2, bias=False)
        self.to_out = nn.Linear(inner_dim, query_dim)

    def forward(
        self,
        x: Float[Tensor, "b n query_dim"],
        context: Float[Tensor, "b m context_dim"] | None = None,
        mask: Bool[Tensor, "b m"] | None = None,
    ) -> Float[Tensor, "b n query_dim"]:
        h = self.heads
        q = self.to_q(x)
        context = default(context, x)
        k, v = self.to_kv(context).chunk(2, dim=-1)
        q, k, v = map(lambda t: rearrange(t, "b n (h d) -> (b h) n d", h=h), (q, k, v))
        sim = einsum("b i d, b j d -> b i j", q, k) * self.scale
        if exists(mask):
            mask = rearrange(mask, "b ... -> b (...)")
            mask = repeat(mask, "b j -> (b h) () j", h=h)
            sim.masked_fill_(~mask, -torch.finfo(sim.dtype).max)
        attn = sim.softmax(dim=-1)
        out = einsum("b i j, b j d -> b i d", attn, v)
        out = rearrange(out, "(b h) n d -> b n (h d)", h=h)
        return self.to_out(out)


class PerceiverIO(nn.Module):
    def __init__(self, *, depth: int, dim: int, queries_dim: int, num_latents: int, latent_dim: int, tie: bool = False):
        super().__init__()
        self.latents = nn.Parameter(torch.randn(num_latents, latent_dim))
        self.cross_attend_blocks = nn.ModuleList(
            [
                PreNorm(latent_dim, Attention(latent_dim, dim, heads=1, dim_head=5), context_dim=dim),
                PreNorm(latent_dim, FeedForward(latent_dim)),
            ]
        )
        get_latent_attn = lambda: PreNorm(latent_dim, Attention(latent_dim, heads=2, dim_head=3))
        get_latent_ff = lambda: PreNorm(latent_dim, FeedForward(latent_dim))
        get_latent_attn, get_latent_ff = map(cache_fn, (get_latent_attn, get_latent_ff))
        self.layers = nn.ModuleList([])
        for _ in range(depth):
            self.layers.append(nn.ModuleList([get_latent_attn(_cache=tie), get_latent_ff(_cache=tie)]))
        self.decoder_cross_attn = PreNorm(
            queries_dim, Attention(queries_dim, latent_dim, heads=1, dim_head=5), context_dim=latent_dim
        )

    def forward(
        self,
        data: Float[Tensor, "b n dim"],
        mask: Bool[Tensor, "b n"] | None = None,
        queries: Float[Tensor, "b q queries_dim"] | Float[Tensor, "q queries_dim"] | None = None,
    ) -> Float[Tensor, "b _ _"]:
        b = data.shape[0]
        x = repeat(self.latents, "n d -> b n d", b=b)
        cross_attn, cross_ff = self.cross_attend_blocks
        x = cross_attn(x, context=data, mask=mask) + x
        x = cross_ff(x) + x
        for self_attn, self_ff in self.layers:
            x = self_attn(x) + x
            x = self_ff(x) + x
        if not exists(queries):
            return x
        if queries.ndim == 2:
            queries = repeat(queries, "n d -> b n d", b=b)
        return self.decoder_cross_attn(queries, context=x)


def pixel_positions(shape: Sequence[int], bands: int) -> Float[Tensor, "pixels features"]:
    axes = [torch.linspace(-1.0, 1.0, steps=size) for size in shape]
    pos = torch.stack(torch.meshgrid(*axes, indexing="ij"), dim=-1)
    encoded = fourier_encode(pos, 10.0, bands)
    return rearrange(encoded, "... n d -> (...) (n d)")


def pooled(x: Float[Tensor, "b n d"]) -> Float[Tensor, "b d"]:
    return reduce(x, "b n d -> b d", "mean")


# run: m = PerceiverIO(depth=2, dim=7, queries_dim=11, num_latents=5, latent_dim=13)
# run: m(randn(2, 17, 7), mask=randn(2, 17) > -1, queries=randn(3, 11))
# run: pooled(m(randn(2, 17, 7))); m(randn(2, 17, 7), queries=randn(2, 3, 11)); pixel_positions((5, 7), 3)
