from jaxtyping import Float
from torch import Tensor, nn


class PatchEmbed(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.proj = nn.Conv2d(3, dim, kernel_size=16, stride=16)

    def forward(self, x: Float[Tensor, "b 3 224 224"]) -> Float[Tensor, "b 196 dim"]:
        x = self.proj(x)
        return x.flatten(2).transpose(1, 2)  #! return x.flatten(1).unsqueeze(1)  # E: shape


# run: PatchEmbed(5)(randn(1, 3, 224, 224))
