from jaxtyping import Float
from torch import Tensor, nn


class CrossAttention(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.attn = nn.MultiheadAttention(dim, 4, batch_first=True)

    def forward(
        self, x: Float[Tensor, "b n dim"], memory: Float[Tensor, "b m dim"]
    ) -> Float[Tensor, "b n dim"]:
        out, weights = self.attn(x, memory, memory)
        return out  #! return weights  # E: shape


# run: CrossAttention(8)(randn(2, 3, 8), randn(2, 5, 8))
