import torch
from torch import nn


class Subsample(nn.Module):
    def __init__(self, features, width):
        super().__init__()
        self.conv1 = nn.Conv2d(1, width, 3, stride=2)
        self.conv2 = nn.Conv2d(width, width, 3, stride=2)
        f = ((features - 1) // 2 - 1) // 2
        self.out = nn.Linear(width * f, width)

    def forward(self, x):
        x = self.conv2(self.conv1(x.unsqueeze(1)).relu()).relu()
        b, c, t, f = x.shape
        return self.out(x.transpose(1, 2).reshape(b, t, c * f))

    @staticmethod
    def lengths(n):
        return ((n - 1) // 2 - 1) // 2


class ConvModule(nn.Module):
    def __init__(self, width, kernel=7):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.expand = nn.Conv1d(width, 2 * width, 1)
        self.depth = nn.Conv1d(width, width, kernel, padding=kernel // 2, groups=width)
        self.bn = nn.BatchNorm1d(width)
        self.out = nn.Conv1d(width, width, 1)

    def forward(self, x):
        h = self.norm(x).transpose(1, 2)
        h = nn.functional.glu(self.expand(h), dim=1)
        h = self.out(self.bn(self.depth(h)).relu())
        return x + h.transpose(1, 2)


class Encoder(nn.Module):
    def __init__(self, features, width, depth):
        super().__init__()
        self.sub = Subsample(features, width)
        self.layers = nn.ModuleList([ConvModule(width) for _ in range(depth)])

    def forward(self, x):
        x = self.sub(x)
        for layer in self.layers:
            x = layer(x)
        return x
