from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F


class CrossAttention(nn.Module):
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.q = nn.Linear(dim, dim)
        self.kv = nn.Linear(dim, 2 * dim)

    def forward(self, x: Float[Tensor, "b s dim"], memory: Float[Tensor, "b t dim"]) -> Float[Tensor, "b s dim"]:
        q = self.q(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        kv = self.kv(memory).unflatten(-1, (2, self.heads, -1))
        k, v = kv.unbind(dim=2)  #! k, v = kv.unbind(dim=1)  # E: shape
        y = F.scaled_dot_product_attention(q, k.transpose(1, 2), v.transpose(1, 2))  # e: shape
        return y.transpose(1, 2).flatten(2)


# run: CrossAttention(8, 2)(randn(2, 3, 8), randn(2, 5, 8))
