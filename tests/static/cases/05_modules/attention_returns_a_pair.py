import torch
from jaxtyping import Float
from torch import Tensor, nn


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)

    def forward(self, x: Float[Tensor, "b s width"]) -> Float[Tensor, "b s width"]:
        h = self.norm(x)
        return x + self.attention(h, h, h, need_weights=False)[0]  #! return x + self.attention(h, h, h, need_weights=False)  # E: shape


# run: Block(8, 2)(randn(2, 3, 8))
