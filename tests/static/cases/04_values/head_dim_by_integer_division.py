from jaxtyping import Float
from torch import Tensor, nn


class Heads(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.n_heads = 8
        self.head_dim = 512 // self.n_heads
        self.q = nn.Linear(512, self.n_heads * self.head_dim)

    def forward(self, x: Float[Tensor, "b s 512"]) -> Float[Tensor, "b 8 s 64"]:
        q = self.q(x).view(x.shape[0], x.shape[1], self.n_heads, self.head_dim)  #! q = self.q(x).view(x.shape[0], x.shape[1], self.head_dim, self.n_heads)
        return q.transpose(1, 2)  # E: shape


# run: Heads()(randn(2, 3, 512))
