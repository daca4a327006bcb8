"""Code that nobody annotated, for square pictures and matrices; arrays whose items are tuples."""

import numpy as np
import torch
from torch import nn


def symmetric(x):
    b, h, w = x.shape
    return x + x.transpose(1, 2)


class Faces(nn.Module):
    """Each face is continued by the other, turned by a quarter."""

    def __init__(self, padding):
        super().__init__()
        self.p = padding

    def forward(self, data):
        n, c, h, w = data.shape
        first, second = (torch.squeeze(x, dim=1) for x in torch.split(data.reshape(-1, 2, c, h, w), 1, dim=1))
        padded = [self.pad(first, second), self.pad(second, first).rot90(1, (-2, -1))]
        return torch.stack(padded, dim=1)

    def pad(self, face, other):
        turned = other.rot90(1, (-2, -1))
        tall = torch.cat((turned[..., -self.p :, :], face, turned[..., : self.p, :]), dim=-2)
        side = torch.zeros_like(tall[..., : self.p])
        return torch.cat((side, tall, side), dim=-1)


def months(years, numbers):
    pairs = np.array(list(zip(years, numbers)), dtype="i,i").astype("object")
    found = np.unique(pairs)
    return torch.tensor([each[0] for each in found]), torch.tensor([each[1] for each in found])


# run: symmetric(randn(2, 3, 3))
# run: Faces(1)(randn(4, 3, 5, 5))
# run: months([2000, 2001], [1, 2])
