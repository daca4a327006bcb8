"""A vision transformer in einops, with registers and a masked-autoencoder helper."""

import torch
from einops import rearrange, repeat
from einops.layers.torch import Rearrange
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn


def pair(t):
    return t if isinstance(t, tuple) else (t, t)


class FeedForward(nn.Module):
    def __init__(self, dim: int, hidden_dim: int, dropout: float = 0.0):
        super().__init__()
        self.net = nn.Sequential(
            nn.LayerNorm(dim),
            nn.Linear(dim, hidden_dim),
            nn.GELU(),
            nn.Dropout(dropout),
            nn.Linear(hidden_dim, dim),
            nn.Dropout(dropout),
        )

    def forward(self, x: Float[Tensor, "b n dim"]) -> Float[Tensor, "b n dim"]:
        return self.net(x)


class Attention(nn.Module):
    def __init__(self, dim: int, heads: int = 8, dim_head: int = 64):
        super().__init__()
        inner_dim = dim_head * heads
        self.heads = heads
        self.scale = dim_head**-0.5
        self.norm = nn.LayerNorm(dim)
        self.attend = nn.Softmax(dim=-1)
        self.to_qkv = nn.Linear(dim, inner_dim * 3, bias=False)
        self.to_out = nn.Linear(inner_dim, dim)

    def forward(self, x: Float[Tensor, "b n dim"]) -> Float[Tensor, "b n dim"]:
        x = self.norm(x)
        qkv = self.to_qkv(x).chunk(3, dim=-1)
        q, k, v = map(lambda t: rearrange(t, "b n (h d) -> b h n d", h=self.heads), qkv)
        dots = torch.matmul(q, k.transpose(-1, -2)) * self.scale
        attn = self.attend(dots)
        out = torch.matmul(attn, v)
        out = rearrange(out, "b h n d -> b n (h d)")
        return self.to_out(out)


class Transformer(nn.Module):
    def __init__(self, dim: int, depth: int, heads: int, dim_head: int, mlp_dim: int):
        super().__init__()
        self.layers = nn.ModuleList([])
        for _ in range(depth):
            self.layers.append(
                nn.ModuleList([Attention(dim, heads=heads, dim_head=dim_head), FeedForward(dim, mlp_dim)])
            )
        self.norm = nn.LayerNorm(dim)

    def forward(self, x: Float[Tensor, "b n dim"]) -> Float[Tensor, "b n dim"]:
        for attn, ff in self.layers:
            x = attn(x) + x
            x = ff(x) + x
        return self.norm(x)


class ViT(nn.Module):
    def __init__(
        self,
        *,
        image_size: int | tuple[int, int],
        patch_size: int | tuple[int, int],
        num_classes: int,
        dim: int,
        depth: int,
        heads: int,
        mlp_dim: int,
        pool: str = "cls",
        channels: int = 3,
        dim_head: int = 64,
    ):
        super().__init__()
        image_height, image_width = pair(image_size)
        patch_height, patch_width = pair(patch_size)
        assert image_height % patch_height == 0 and image_width % patch_width == 0
        num_patches = (image_height // patch_height) * (image_width // patch_width)
        patch_dim = channels * patch_height * patch_width
        assert pool in {"cls", "mean"}
        self.to_patch_embedding = nn.Sequential(
            Rearrange("b c (h p1) (w p2) -> b (h w) (p1 p2 c)", p1=patch_height, p2=patch_width),
            nn.LayerNorm(patch_dim),
            nn.Linear(patch_dim, dim),
            nn.LayerNorm(dim),
        )
        self.pos_embedding = nn.Parameter(torch.randn(1, num_patches + 1, dim))
        self.cls_token = nn.Parameter(torch.randn(1, 1, dim))
        self.transformer = Transformer(dim, depth, heads, dim_head, mlp_dim)
        self.pool = pool
        self.to_latent = nn.Identity()
        self.mlp_head = nn.Linear(dim, num_classes)

    def tokens(self, img: Float[Tensor, "b c h w"]) -> Float[Tensor, "b n dim"]:
        x = self.to_patch_embedding(img)
        b, n, _ = x.shape
        cls_tokens = repeat(self.cls_token, "1 1 d -> b 1 d", b=b)
        x = torch.cat((cls_tokens, x), dim=1)
        x += self.pos_embedding[:, : (n + 1)]
        return self.transformer(x)

    def forward(self, img: Float[Tensor, "b c h w"]) -> Float[Tensor, "b num_classes"]:
        x = self.tokens(img)
        x = x.mean(dim=1) if self.pool == "mean" else x[:, 0]
        x = self.to_latent(x)
        return self.mlp_head(x)


def random_masking(
    tokens: Float[Tensor, "b n d"], keep: int
) -> tuple[Float[Tensor, "b {keep} d"], Bool[Tensor, "b n"], Int[Tensor, "b n"]]:
    b, n, d = tokens.shape
    noise = torch.rand(b, n)
    shuffle = noise.argsort(dim=1)
    restore = shuffle.argsort(dim=1)
    kept = tokens.gather(1, shuffle[:, :keep, None].expand(-1, -1, d))
    mask = torch.ones(b, n, dtype=torch.bool)
    mask[:, :keep] = False
    mask = mask.gather(1, restore)
    return kept, mask, restore


def unpatchify(x: Float[Tensor, "b n p"], patch: int, height: int) -> Float[Tensor, "b 3 _ _"]:
    return rearrange(x, "b (h w) (p q c) -> b c (h p) (w q)", h=height // patch, p=patch, q=patch)


# run: v = ViT(image_size=(24, 36), patch_size=6, num_classes=11, dim=13, depth=2, heads=3, mlp_dim=17, dim_head=5)
# run: v(randn(2, 3, 24, 36))
# run: random_masking(randn(2, 7, 5), 3)
# run: unpatchify(randn(2, 6, 48), 4, 8)
