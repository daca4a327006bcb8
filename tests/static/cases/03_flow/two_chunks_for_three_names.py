import torch
from jaxtyping import Float
from torch import Tensor, nn


class Attention(nn.Module):
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)

    def forward(self, x: Float[Tensor, "b n dim"]) -> Float[Tensor, "b heads n n"]:
        parts = self.qkv(x).chunk(3, dim=-1)  #! parts = self.qkv(x).chunk(2, dim=-1)
        q, k, v = map(lambda t: t.unflatten(-1, (self.heads, -1)).transpose(1, 2), parts)  # E: shape
        return (q @ k.mT).softmax(-1)


# run: Attention(12, 3)(torch.randn(2, 5, 12))
