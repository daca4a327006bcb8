import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn


class WindowAttention(nn.Module):
    def __init__(self, dim: int, window: int, heads: int):
        super().__init__()
        self.window, self.heads = window, heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.bias = nn.Parameter(torch.zeros(heads, window**2, window**2))
        self.proj = nn.Linear(dim, dim)

    def forward(self, x: Float[Tensor, "b h w dim"]) -> Float[Tensor, "b h w dim"]:
        B, H, W, C = x.shape
        m = self.window
        x = x.view(B, H // m, m, W // m, m, C).permute(0, 1, 3, 2, 4, 5).reshape(-1, m * m, C)
        n = x.shape[0]
        q, k, v = self.qkv(x).reshape(n, m * m, 3, self.heads, C // self.heads).permute(2, 0, 3, 1, 4)  #! q, k, v = self.qkv(x).reshape(n, m * m, 3, self.heads, C // self.heads).permute(2, 0, 1, 3, 4)
        attn = (q @ k.transpose(-2, -1)) * q.shape[-1] ** -0.5 + self.bias  # E: shape
        y = (attn.softmax(-1) @ v).transpose(1, 2).reshape(n, m * m, C)
        y = self.proj(y).view(B, H // m, W // m, m, m, C)
        return y.permute(0, 1, 3, 2, 4, 5).reshape(B, H, W, C)


# run: WindowAttention(8, 2, 2)(randn(1, 4, 6, 8))
