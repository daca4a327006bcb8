"""Sizes that a body confuses, and that are equal wherever this file makes the model or leaves them out."""
import torch
from torch import nn
from torch.nn import functional as F


class Attention(nn.Module):
    def __init__(self, dim: int, num_heads: int, head_dim=16):
        super().__init__()
        self.num_heads, self.head_dim = num_heads, head_dim
        width = num_heads * head_dim
        self.weights = nn.Parameter(torch.randn(4, width, dim))

    def forward(self, x, copies: int = 1):
        b, t = x.size(0), copies * x.size(1)
        qkv = F.linear(x, self.weights[:3].flatten(end_dim=1)).view(b, t, 3 * self.num_heads, self.head_dim)
        q, k, v = qkv.transpose(1, 2).chunk(3, dim=1)
        y = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(b, t, self.num_heads * self.head_dim)
        return F.linear(y, self.weights[3])


class Block(nn.Module):
    def __init__(self, dim: int, num_heads: int):
        super().__init__()
        self.attention = Attention(dim, num_heads)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        return x + self.attention(self.norm(x))


class Net(nn.Module):
    def __init__(self, depth: int, dim: int, num_heads: int):
        super().__init__()
        self.blocks = nn.ModuleList([Block(dim, num_heads) for _ in range(depth)])

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


def check_prefix(B=2, H=3, P=24, C=12, R=12, D=8):
    out, alone = torch.randn(B, H, P + C + R, D), torch.randn(B, H, P + C, D)
    shared = out[:, :, P : P + C, P : P + C]
    separate = alone[:, :, P:, P:]
    assert torch.allclose(shared, separate)
    return shared + separate


def main():
    model = Net(2, 64, 4)
    model(torch.randn(2, 5, 64))
    check_prefix()


# run: main()
