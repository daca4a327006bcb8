from jaxtyping import Float
from torch import Tensor, nn


class Attention(nn.Module):
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads, self.d_head = heads, dim // heads
        self.q, self.k = nn.Linear(dim, dim), nn.Linear(dim, dim)

    def split(self, x: Float[Tensor, "b n dim"]) -> Float[Tensor, "b heads n d_head"]:
        return x.view(*x.shape[:2], self.heads, self.d_head).transpose(1, 2)

    def scores(self, x: Float[Tensor, "b n dim"]) -> Float[Tensor, "b heads n n"]:
        q, k = self.split(self.q(x)), self.split(self.k(x))
        return q @ k.transpose(-1, -2)  #! return q @ k  # E: shape


# run: Attention(6, 2).scores(randn(2, 5, 6))
