"""Mixers and image manipulation with nothing but patterns."""

import torch
from einops import einsum, pack, rearrange, reduce, repeat, unpack
from einops.layers.torch import EinMix, Rearrange, Reduce
from jaxtyping import Float
from torch import Tensor, nn


class MixerBlock(nn.Module):
    def __init__(self, tokens: int, dim: int) -> None:
        super().__init__()
        self.token = nn.Sequential(
            nn.LayerNorm(dim),
            Rearrange("b n d -> b d n"),
            nn.Linear(tokens, 2 * tokens),
            nn.GELU(),
            nn.Linear(2 * tokens, tokens),
            Rearrange("b d n -> b n d"),
        )
        self.channel = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, 3 * dim), nn.GELU(), nn.Linear(3 * dim, dim))

    def forward(self, x: Float[Tensor, "b n d"]) -> Float[Tensor, "b n d"]:
        x = x + self.token(x)
        return x + self.channel(x)


class Mixer(nn.Module):
    def __init__(self, size: int, patch: int, dim: int, classes: int) -> None:
        super().__init__()
        n = (size // patch) ** 2
        self.net = nn.Sequential(
            Rearrange("b c (h p1) (w p2) -> b (h w) (p1 p2 c)", p1=patch, p2=patch),
            nn.Linear(3 * patch**2, dim),
            MixerBlock(n, dim),
            nn.LayerNorm(dim),
            Reduce("b n d -> b d", "mean"),
            nn.Linear(dim, classes),
        )

    def forward(self, x: Float[Tensor, "b 3 h w"]) -> Float[Tensor, "b classes"]:
        return self.net(x)


def contact_sheet(images: Float[Tensor, "n h w c"], rows: int) -> Float[Tensor, "_ _ c"]:
    return rearrange(images, "(r k) h w c -> (r h) (k w) c", r=rows)


def upsample(x: Float[Tensor, "b c h w"], factor: int) -> Float[Tensor, "b c h*{factor} w*{factor}"]:
    return repeat(x, "b c h w -> b c (h f) (w g)", f=factor, g=factor)


def pixel_shuffle(x: Float[Tensor, "b c h w"], r: int) -> Float[Tensor, "b _ _ _"]:
    return rearrange(x, "b (c r1 r2) h w -> b c (h r1) (w r2)", r1=r, r2=r)


def gram(x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b c c"]:
    return einsum(x, x, "b c1 h w, b c2 h w -> b c1 c2")


def shuffle_channels(x: Float[Tensor, "b c *space"], groups: int) -> Float[Tensor, "b c *space"]:
    return rearrange(x, "b (g c) ... -> b (c g) ...", g=groups)


def with_registers(x: Float[Tensor, "b n d"], registers: Float[Tensor, "r d"]) -> Float[Tensor, "b n d"]:
    r = repeat(registers, "r d -> b r d", b=x.shape[0])
    packed, ps = pack([r, x], "b * d")
    packed = packed.softmax(1)
    _, out = unpack(packed, ps, "b * d")
    return out


def standardise(x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b c h w"]:
    mean = reduce(x, "b c h w -> b c 1 1", "mean")
    var = reduce((x - mean) ** 2, "b c h w -> b c () ()", "mean")
    return (x - mean) * torch.rsqrt(var + 1e-5)


def space_to_depth(x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b 4*c h//2 w//2"]:
    parts = rearrange(x, "b c (h h2) (w w2) -> (h2 w2) b c h w", h2=2, w2=2)
    return torch.cat(list(parts), dim=1)


def multi_head(x: Float[Tensor, "b n d"], w: Float[Tensor, "3 heads d e"]) -> Float[Tensor, "b heads n e"]:
    q, k, v = einsum(x, w, "b n d, three h d e -> three b h n e")
    attn = einsum(q, k, "b h i e, b h j e -> b h i j").softmax(-1)
    return einsum(attn, v, "b h i j, b h j e -> b h i e")


def mean_over_any(x: Float[Tensor, "b ... d"]) -> Float[Tensor, "b d"]:
    return reduce(x, "b ... d -> b d", "mean")


def mixing(x: Float[Tensor, "b n 6"]) -> Float[Tensor, "b n 4"]:
    layer = EinMix("b n (h c) -> b n (h e)", weight_shape="h c e", h=2, c=3, e=2)
    return layer(x)


# run: Mixer(12, 4, 5, 7)(randn(2, 3, 12, 12)); contact_sheet(randn(6, 5, 7, 3), 2); upsample(randn(2, 3, 5, 7), 3); pixel_shuffle(randn(2, 12, 3, 5), 2)
# run: gram(randn(2, 3, 5, 7)); shuffle_channels(randn(2, 6, 5), 3); with_registers(randn(2, 5, 3), randn(4, 3)); standardise(randn(2, 3, 5, 7)); space_to_depth(randn(2, 3, 4, 6))
# run: multi_head(randn(2, 5, 7), randn(3, 2, 7, 11)); mean_over_any(randn(2, 3, 5, 7)); mean_over_any(randn(2, 7)); mixing(randn(2, 5, 6))
