from functools import partial
from typing import Callable

import torch
from jaxtyping import Float
from torch import Tensor, nn

NormLayer = Callable[[int], nn.Module]


class ConvBlock(nn.Module):
    def __init__(self, c_in: int, c_out: int, norm: NormLayer = nn.BatchNorm2d, act: type[nn.Module] = nn.ReLU):
        super().__init__()
        self.conv = nn.Conv2d(c_in, c_out, 3, padding=1)
        self.norm = norm(c_out)  #! self.norm = norm(c_in)
        self.act = act()

    def forward(self, x: Float[Tensor, "b c_in h w"]) -> Float[Tensor, "b c_out h w"]:
        return self.act(self.norm(self.conv(x)))  # E: shape


block = ConvBlock(8, 16, norm=partial(nn.GroupNorm, 4), act=nn.SiLU)
y = block(torch.randn(1, 8, 6, 6))


# run: pass
