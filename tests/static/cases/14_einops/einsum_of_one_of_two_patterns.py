"""A triangle update whose flag says along which edges it sums: both ways keep the channels."""

from jaxtyping import Bool, Float
from torch import Tensor, einsum, nn


class TriangleUpdate(nn.Module):
    def __init__(self, c_z: int, c: int, *, outgoing: bool) -> None:
        super().__init__()
        self.pattern = "bikc,bjkc->bijc" if outgoing else "bkic,bkjc->bijc"
        self.norm = nn.LayerNorm(c)
        self.left_and_right = nn.Linear(c_z, 2 * c)
        self.out = nn.Linear(c, c_z)

    def forward(
        self, z: Float[Tensor, "b n n c_z"], mask: Bool[Tensor, "b n n"]
    ) -> Float[Tensor, "b n n c_z"]:
        both = self.left_and_right(z) * mask[..., None]
        left, right = both.chunk(2, dim=-1)
        x = einsum(self.pattern, left, right)  #! x = einsum(self.pattern, both, both)
        return self.out(self.norm(x))  #! return self.out(self.norm(x))  # E: shape


# run: TriangleUpdate(8, 6, outgoing=True)(randn(2, 5, 5, 8), torch.ones(2, 5, 5).bool())
# run: TriangleUpdate(8, 6, outgoing=False)(randn(2, 5, 5, 8), torch.ones(2, 5, 5).bool())
