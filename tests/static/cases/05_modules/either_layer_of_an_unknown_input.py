import torch
from torch import nn


class Stem(nn.Module):
    def __init__(self, deep=False):
        super().__init__()
        self.deep = deep
        self.plain = nn.Linear(16, 24)
        self.wide = nn.Linear(40, 24)
        self.pick = nn.Linear(16, 24) if deep else nn.Linear(40, 24)

    def forward(self, x, extra=None):
        if extra is None:
            y = self.plain(x)
        else:
            y = self.wide(x) + extra
        z = self.plain(x) if extra is None else self.wide(x)
        return y + z, torch.cat([x, z], dim=-1)

    def merged(self, x):
        y = self.wide(x)
        return (x := self.plain(y[..., :16])) + y  #! return x + y  # E: shape


# run: Stem()(randn(3, 16)), Stem(True)(randn(3, 40), randn(24)), Stem().merged(randn(2, 40))
