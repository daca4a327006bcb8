import torch
from torch import nn


class Expert(nn.Module):
    def __init__(self, dim, hidden=16, **kwargs):
        super().__init__()
        bias = kwargs.pop("bias", True)
        self.up = nn.Linear(dim, hidden, bias=bias)
        self.down = nn.Linear(hidden, dim, bias=bias)  #! self.down = nn.Linear(dim, hidden, bias=bias)

    def forward(self, x):
        return self.down(self.up(x).relu())


BLOCKS = {"expert": Expert}


class Net(nn.Module):
    def __init__(self, dim, depth, block="expert", options=None):
        super().__init__()
        options = options or {}
        self.layers = nn.ModuleList()
        for _ in range(depth):
            self.layers.append(nn.ModuleDict({"norm": nn.LayerNorm(dim), "ff": BLOCKS[block](dim, **options)}))

    def forward(self, x):
        for layer in self.layers:
            x = x + layer["ff"](layer["norm"](x))
        return x


def main():
    return Net(8, 2, options=dict(hidden=32, bias=False))(torch.randn(3, 8))  # E: shape


# run: main()
