import torch
from jaxtyping import Float
from torch import Tensor, nn


class Block(nn.Module):
    def __init__(self, c_in: int, c_out: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(c_in, c_out, 3, padding=1)
        self.skip = (
            nn.Conv2d(c_in, c_out, 1) if c_in != c_out else nn.Identity()  #! nn.Conv2d(c_out, c_in, 1) if c_in != c_out else nn.Identity()
        )

    def forward(self, x: Float[Tensor, "b c_in h w"]) -> Float[Tensor, "b c_out h w"]:
        return self.conv(x).relu() + self.skip(x)  # E: shape


# run: Block(3, 5)(randn(2, 3, 6, 7))
# run: Block(4, 4)(randn(2, 4, 6, 7))
