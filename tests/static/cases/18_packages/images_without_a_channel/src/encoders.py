from abc import ABC, abstractmethod

import torch
from torch import nn

ENCODERS = {}


def register(name):
    def deco(cls):
        ENCODERS[name] = cls
        return cls

    return deco


class BaseEncoder(nn.Module, ABC):
    out_dim: int

    @abstractmethod
    def encode(self, x): ...

    def forward(self, x):
        h = self.encode(x)
        return h.flatten(1)


@register("conv")
class ConvEncoder(BaseEncoder):
    def __init__(self, in_ch=1, widths=(8, 16), size=28):
        super().__init__()
        chans = [in_ch, *widths]
        self.convs = nn.ModuleList(nn.Conv2d(a, b, 3, stride=2, padding=1) for a, b in zip(chans[:-1], chans[1:]))
        for _ in widths:
            size = (size + 1) // 2
        self.out_dim = widths[-1] * size * size

    def encode(self, x):
        for conv in self.convs:
            x = torch.relu(conv(x))
        return x


@register("mlp")
class MLPEncoder(BaseEncoder):
    def __init__(self, in_dim=784, hidden=32):
        super().__init__()
        self.net = nn.Sequential(nn.Flatten(), nn.Linear(in_dim, hidden), nn.ReLU())
        self.out_dim = hidden

    def encode(self, x):
        return self.net(x)
