from einops import rearrange
from jaxtyping import Float
from torch import Tensor, nn


class Attention(nn.Module):
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.to_qkv = nn.Linear(dim, 3 * dim, bias=False)

    def forward(self, x: Float[Tensor, "b n dim"]) -> Float[Tensor, "b n dim"]:
        qkv = self.to_qkv(x).chunk(3, dim=-1)
        q, k, v = (rearrange(t, "b n (h d) -> b h n d", h=self.heads) for t in qkv)
        out = (q @ k.mT).softmax(-1) @ v
        return rearrange(out, "b h n d -> b n (h d)")  #! return rearrange(out, "b h n d -> b h (n d)")  # E: shape


# run: Attention(12, 3)(randn(2, 5, 12))
