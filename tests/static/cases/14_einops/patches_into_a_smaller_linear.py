from einops.layers.torch import Rearrange
from jaxtyping import Float
from torch import Tensor, nn


class ToTokens(nn.Module):
    def __init__(self, patch: int, channels: int, dim: int) -> None:
        super().__init__()
        self.net = nn.Sequential(
            Rearrange("b c (h p) (w q) -> b (h w) (p q c)", p=patch, q=patch),
            nn.Linear(patch * patch * channels, dim),  #! nn.Linear(patch * channels, dim),
        )

    def forward(self, x: Float[Tensor, "b channels h w"]) -> Float[Tensor, "b n dim"]:
        return self.net(x)  # E: shape


# run: ToTokens(4, 3, 8)(randn(2, 3, 8, 8))
