from jaxtyping import Float
from torch import Tensor, nn


def rotated(x: Float[Tensor, "b t heads hd"], cos: Float[Tensor, "t half"]) -> Float[Tensor, "b t heads hd"]:
    return x * cos[None, :, None, :1]


class Attention(nn.Module):
    def __init__(self, dim: int, heads: int, head_dim: int) -> None:
        super().__init__()
        self.heads, self.head_dim = heads, head_dim
        self.wq = nn.Linear(dim, heads * head_dim)
        self.wo = nn.Linear(heads * head_dim, dim)

    def forward(self, x: Float[Tensor, "b t dim"], cos: Float[Tensor, "t half"]) -> Float[Tensor, "b t dim"]:
        b, t, _ = x.shape
        q = self.wq(x).view(b, t, self.heads, self.head_dim)  #! q = self.wq(x).view(b, self.heads, t, self.head_dim)
        return self.wo(rotated(q, cos).reshape(b, t, -1))  # E: shape


# run: Attention(6, 2, 4)(randn(3, 5, 6), randn(5, 2))
