"""Attention with every option: heads, bias, dropout, cls token, pooling, cross, caches."""
import math
from typing import Literal, Optional, Union

import torch
import torch.nn as nn
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor


class Attention(nn.Module):
    def __init__(self, dim, context_dim=None, heads=4, head_dim=None, bias=False, fused=False, kv_heads=None, norm=False,
                 rotary=False, out_dim=None, gated=False, null_kv=0):
        super().__init__()
        head_dim = head_dim or dim // heads
        kv_heads = kv_heads or heads
        inner = heads * head_dim
        self.heads, self.kv_heads, self.scale = heads, kv_heads, head_dim**-0.5
        self.q = nn.Linear(dim, inner, bias=bias)
        self.kv = nn.Linear(context_dim or dim, 2 * kv_heads * head_dim, bias=bias)
        self.q_norm = nn.LayerNorm(head_dim) if norm else nn.Identity()
        self.k_norm = nn.LayerNorm(head_dim) if norm else nn.Identity()
        self.gate = nn.Linear(dim, inner) if gated else None
        self.null = nn.Parameter(torch.randn(2, kv_heads, null_kv, head_dim)) if null_kv else None
        self.out = nn.Linear(inner, out_dim or dim) if out_dim != 0 else nn.Identity()
        self.rotary, self.fused = rotary, fused

    def forward(self, x: Float[Tensor, "b n dim"], context: Optional[Float[Tensor, "b m c"]] = None,
                mask: Optional[Bool[Tensor, "b m"]] = None, causal: bool = False, return_weights: bool = False,
                cache: Optional[tuple[Tensor, Tensor]] = None):
        src = x if context is None else context
        q = self.q(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        k, v = self.kv(src).chunk(2, dim=-1)
        k, v = (t.unflatten(-1, (self.kv_heads, -1)).transpose(1, 2) for t in (k, v))
        q, k = self.q_norm(q), self.k_norm(k)
        if self.rotary and context is None:
            q, k = rotate(q), rotate(k)
        if cache is not None:
            k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
        new = (k, v)
        if self.null is not None:
            nk, nv = self.null.unsqueeze(1).expand(-1, x.shape[0], -1, -1, -1)
            k, v = torch.cat([nk, k], -2), torch.cat([nv, v], -2)
            if mask is not None:
                mask = F.pad(mask, (nk.shape[-2], 0), value=True)
        if self.kv_heads != self.heads:
            k, v = (t.repeat_interleave(self.heads // self.kv_heads, 1) for t in (k, v))
        bias = None
        if mask is not None:
            bias = mask[:, None, None]
        if causal:
            tri = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril(k.shape[-2] - q.shape[-2])
            bias = tri if bias is None else bias & tri
        w = None
        if self.fused and not return_weights:
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        else:
            s = q @ k.mT * self.scale
            if bias is not None:
                s = s.masked_fill(~bias, -math.inf)
            w = s.softmax(-1)
            y = w @ v
        y = y.transpose(1, 2).flatten(2)
        if self.gate is not None:
            y = y * self.gate(x).sigmoid()
        y = self.out(y)
        if return_weights:
            return y, w, new
        return (y, new) if cache is not None else y


def rotate(x: Float[Tensor, "*b n d"], base: float = 1e4, partial: Union[float, int] = 1.0) -> Float[Tensor, "*b n d"]:
    d = int(x.shape[-1] * partial) // 2 * 2
    if d == 0:
        return x
    x, rest = x[..., :d], x[..., d:]
    f = base ** (-torch.arange(0, d, 2) / d)
    a = torch.outer(torch.arange(x.shape[-2]), f)
    a = torch.cat([a, a], -1)
    left, right = x.chunk(2, -1)
    x = x * a.cos() + torch.cat([-right, left], -1) * a.sin()
    return torch.cat([x, rest], -1) if rest.shape[-1] else x


class Pool(nn.Module):
    def __init__(self, dim, mode: Literal["cls", "mean", "max", "attn", "none"] = "mean", prefix: int = 1):
        super().__init__()
        self.mode, self.prefix = mode, prefix
        if mode == "attn":
            self.query = nn.Parameter(torch.zeros(1, 1, dim))
            self.attn = Attention(dim)
        if mode == "cls":
            self.cls = nn.Parameter(torch.zeros(dim))

    def forward(self, x: Float[Tensor, "b n d"]) -> Float[Tensor, "b *rest"]:
        if self.mode == "none":
            return x
        if self.mode == "attn":
            return self.attn(self.query.expand(len(x), -1, -1), x).squeeze(1)
        if self.mode == "cls":
            return x[:, 0] + self.cls
        x = x[:, self.prefix :] if self.prefix else x
        return x.mean(1) if self.mode == "mean" else x.amax(dim=1)


def main():
    x, c = torch.randn(2, 5, 16), torch.randn(2, 7, 12)
    m = torch.rand(2, 7) > 0.2
    a = Attention(16)(x, causal=True)
    b, w, _ = Attention(16, 12, kv_heads=2, null_kv=3, norm=True, gated=True)(x, c, m, return_weights=True)
    att = Attention(16, head_dim=6, rotary=True, fused=True, out_dim=9)
    y, cache = att(x, cache=(torch.zeros(2, 4, 0, 6), torch.zeros(2, 4, 0, 6)))
    z, (k, v) = att(x[:, :1], cache=cache, causal=True)
    inner = Attention(16, head_dim=6, out_dim=0)(x)
    pools = [Pool(16, mode)(x) for mode in ("cls", "mean", "max", "attn", "none")]
    last, first = pools[-1], pools[3]
    r = rotate(torch.randn(3, 4, 10), partial=0.5)
    return a, b, w, y, z, k, v, inner, last, first, r


# run: main()
