import torch
from torch import nn

NORMS = {"layer": nn.LayerNorm, "rms": nn.RMSNorm}


class FeedForward(nn.Module):
    def __init__(self, dim, ratio, act=nn.GELU):
        super().__init__()
        inner = int(dim * ratio)
        self.net = nn.Sequential(nn.Linear(dim, inner), act(), nn.Linear(inner, dim))

    def forward(self, x):
        return self.net(x)


class SelfAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.head_dim = heads, dim // heads
        self.to_qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x, mask=None):
        b, n, d = x.shape
        q, k, v = self.to_qkv(x).chunk(3, dim=-1)
        q, k, v = (t.view(b, n, self.heads, self.head_dim).transpose(1, 2) for t in (q, k, v))
        att = q @ k.transpose(-2, -1) * self.head_dim**-0.5
        if mask is not None:
            att = att.masked_fill(~mask[:, None, None, :], float("-inf"))
        out = att.softmax(-1) @ v
        return self.proj(out.transpose(1, 2).reshape(b, n, d))


class Block(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        make = NORMS[cfg.norm]
        self.norm1, self.norm2 = make(cfg.dim), make(cfg.dim)
        self.attn = SelfAttention(cfg.dim, cfg.heads)
        self.ff = FeedForward(cfg.dim, cfg.mlp_ratio)

    def forward(self, x, mask=None):
        x = x + self.attn(self.norm1(x), mask)
        return x + self.ff(self.norm2(x))
