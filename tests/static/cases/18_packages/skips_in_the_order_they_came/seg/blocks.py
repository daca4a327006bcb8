from functools import partial

import torch
from torch import nn

NORMS = {"batch": nn.BatchNorm2d, "group": partial(nn.GroupNorm, 4), "none": nn.Identity}


class ConvBlock(nn.Module):
    def __init__(self, cin, cout, norm="batch", act=nn.ReLU):
        super().__init__()
        self.body = nn.Sequential()
        self.body.add_module("conv1", nn.Conv2d(cin, cout, 3, padding=1))
        self.body.add_module("norm1", NORMS[norm](cout))
        self.body.add_module("act1", act())
        self.body.add_module("conv2", nn.Conv2d(cout, cout, 3, padding=1))
        self.body.add_module("act2", act())

    def forward(self, x):
        return self.body(x)


class Up(nn.Module):
    def __init__(self, cin, cskip, cout, **kwargs):
        super().__init__()
        self.up = nn.ConvTranspose2d(cin, cout, 2, stride=2)
        self.conv = ConvBlock(cout + cskip, cout, **kwargs)

    def forward(self, x, skip):
        x = self.up(x)
        return self.conv(torch.cat((x, skip), dim=1))
