import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Attention(nn.Module):
    def __init__(self, dim: int, num_heads: int, head_dim=16):
        super().__init__()
        self.num_heads, self.head_dim = num_heads, head_dim
        width = num_heads * head_dim
        self.inwards = nn.Parameter(torch.randn(3, width, dim))
        self.outwards = nn.Parameter(torch.randn(dim, width))  #! self.outwards = nn.Parameter(torch.randn(width, dim))

    def forward(self, x: Tensor):
        b, t = x.size(0), x.size(1)
        qkv = F.linear(x, self.inwards.flatten(end_dim=1)).view(b, t, 3 * self.num_heads, self.head_dim)
        q, k, v = qkv.transpose(1, 2).chunk(3, dim=1)
        y = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(b, t, self.num_heads * self.head_dim)
        return F.linear(y, self.outwards)  # E: shape


def narrow() -> Tensor:
    return Attention(64, 4)(torch.randn(2, 5, 64))


def wide() -> Tensor:
    return Attention(96, 4)(torch.randn(2, 5, 96))  # e: shape


# run: narrow()
# run: wide()
