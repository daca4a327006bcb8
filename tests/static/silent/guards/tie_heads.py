import torch
from jaxtyping import Float
from torch import Tensor, nn


class Attn(nn.Module):
    def __init__(self, h: int):
        super().__init__()
        self.h = h

    def slopes(self) -> Float[Tensor, "h"]:
        return 2.0 ** (-8 / self.h * torch.arange(1, self.h + 1))

    def grid(self, x: Float[Tensor, "b h w"]) -> Float[Tensor, "b h*w"]:
        return x.flatten(1)


def main():
    a = Attn(2)
    assert a.slopes().shape == (2,)
    assert a.grid(torch.randn(2, 5, 4)).shape == (2, 20)


# run: main()
