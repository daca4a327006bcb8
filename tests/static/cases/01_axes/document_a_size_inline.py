from jaxtyping import Float
from torch import Tensor, nn


class PatchHead(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.proj = nn.Linear(48, 10)  #! self.proj = nn.Linear(64, 10)

    def forward(self, patches: Float[Tensor, "batch n patch=48"]) -> Float[Tensor, "batch n classes=10"]:
        return self.proj(patches)  # E: shape


# run: PatchHead()(randn(2, 5, 48))
