from enum import Enum, auto

import torch
from torch import nn


class Pooling(Enum):
    MEAN = auto()
    LAST = auto()
    BOTH = auto()


WIDTHS = {Pooling.MEAN: 1, Pooling.LAST: 1, Pooling.BOTH: 2}


class Classifier(nn.Module):
    def __init__(self, dim, classes, pooling=Pooling.MEAN):
        super().__init__()
        self.pooling = pooling
        self.head = nn.Linear(WIDTHS[pooling] * dim, classes)

    def pool(self, x):
        match self.pooling:
            case Pooling.MEAN:
                return x.mean(1)  #! return x.mean(2)
            case Pooling.LAST:
                return x[:, -1]
        return torch.cat([x.mean(1), x[:, -1]], dim=-1)

    def forward(self, x):
        return self.head(self.pool(x))


def main():
    x = torch.randn(2, 7, 4)
    return [Classifier(4, 3, pooling)(x) for pooling in Pooling][0]  # E: shape


# run: main()
