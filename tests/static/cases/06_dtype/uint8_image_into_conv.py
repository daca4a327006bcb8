import torch
from jaxtyping import Float, UInt8
from torch import Tensor, nn


class Stem(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 16, 7, stride=2, padding=3)

    def forward(self, frames: UInt8[Tensor, "b 3 224 224"]) -> Float[Tensor, "b 16 112 112"]:
        return self.conv(frames.float() / 255)  #! return self.conv(frames)  # E: dtype


# run: Stem()(torch.zeros(1, 3, 224, 224, dtype=torch.uint8))
