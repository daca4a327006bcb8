import torch
from jaxtyping import Float
from torch import Tensor, nn


class Decoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.up = nn.ConvTranspose2d(64, 32, 2, stride=2)
        self.fuse = nn.Conv2d(64, 32, 3, padding=1)  #! self.fuse = nn.Conv2d(32, 32, 3, padding=1)

    def forward(
        self, x: Float[Tensor, "b 64 16 16"], skip: Float[Tensor, "b 32 32 32"]
    ) -> Float[Tensor, "b 32 32 32"]:
        x = self.up(x)
        x = torch.cat([x, skip], dim=1)
        return self.fuse(x)  # E: shape


# run: Decoder()(randn(2, 64, 16, 16), randn(2, 32, 32, 32))
