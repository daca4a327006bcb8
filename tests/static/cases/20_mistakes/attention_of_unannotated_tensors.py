import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, dim: int, num_heads: int):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = dim // num_heads
        self.qkv = nn.Linear(dim, dim * 3)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        B, N, C = x.shape
        qkv = self.qkv(x).reshape(B, N, 3, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        weights = (q @ k.transpose(-2, -1)).softmax(-1)  #! weights = (q @ k).softmax(-1)  # E: shape
        return self.proj((weights @ v).transpose(1, 2).reshape(B, N, C))


def frames(signal, window):
    batch, channels, length = signal.size()
    padded = torch.zeros(batch, channels, length + 2)
    return padded[..., 1:-1] * signal  #! return padded * signal  # E: shape


# run: Attention(8, 2)(randn(2, 5, 8)), frames(randn(2, 3, 7), 3)
