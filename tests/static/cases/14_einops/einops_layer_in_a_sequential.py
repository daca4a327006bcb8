from einops.layers.torch import Rearrange
from jaxtyping import Float
from torch import Tensor, nn


class PatchEmbedding(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.net = nn.Sequential(
            Rearrange("b c (h p) (w q) -> b (h w) (p q c)", p=8, q=8),
            nn.LayerNorm(192),
            nn.Linear(192, dim),  #! nn.Linear(64, dim),
        )

    def forward(self, x: Float[Tensor, "b 3 32 32"]) -> Float[Tensor, "b 16 dim"]:
        return self.net(x)  # E: shape


# run: PatchEmbedding(5)(randn(2, 3, 32, 32))
