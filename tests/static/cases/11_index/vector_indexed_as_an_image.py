import torch
from jaxtyping import Float
from torch import Tensor, nn


class Modulated(nn.Module):
    def __init__(self, channels: int, emb: int) -> None:
        super().__init__()
        self.conv, self.emb = nn.Conv2d(channels, channels, 3, padding=1), nn.Linear(emb, channels)

    def forward(self, x: Float[Tensor, "b c h w"], t: Float[Tensor, "b e"]) -> Float[Tensor, "b c h w"]:
        shift = self.emb(t)  #! shift = self.emb(t.mean(0))
        return self.conv(x) + shift[:, :, None, None]  # E: shape


# run: Modulated(4, 6)(randn(2, 4, 8, 8), randn(2, 6))
