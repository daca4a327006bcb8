"""A forward with ``**kwargs: Unpack[TypedDict]``, called with a spread dict, and from a subclass."""

from typing import TypedDict, Unpack

import torch
from torch import Tensor, nn


class Options(TypedDict, total=False):
    causal: bool
    scale: float


class Attention(nn.Module):
    def forward(self, x: Tensor, mask: Tensor | None = None, **kwargs: Unpack[Options]) -> Tensor:
        return x


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention = Attention()

    def forward(self, x: Tensor, **kwargs: Unpack[Options]) -> Tensor:
        return self.attention(x=x, **kwargs)


class Base(nn.Module):
    def forward(self, *args: object, **kwargs: Unpack[Options]) -> Tensor:
        raise NotImplementedError


def run(base: Base, block: Block, x: Tensor, options: Options) -> Tensor:
    return base(x) + block(x, **options) + block(x, causal=True)


run(Base(), Block(), torch.ones(2), {"scale": 2.0})
