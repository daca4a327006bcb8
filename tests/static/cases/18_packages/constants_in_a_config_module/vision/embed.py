from jaxtyping import Float
from torch import Tensor, nn
from vision import config


class PatchEmbed(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.proj = nn.Linear(config.PATCH_DIM, dim)  #! self.proj = nn.Linear(config.PATCH, dim)

    def forward(self, patches: Float[Tensor, "b 16 192"]) -> Float[Tensor, "b 16 dim"]:
        return self.proj(patches)  # E: shape


# run: PatchEmbed(5)(randn(2, 16, 192))
