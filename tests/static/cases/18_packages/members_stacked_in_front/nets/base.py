from abc import ABC, abstractmethod

import torch
from torch import nn


class BaseModel(nn.Module, ABC):
    registry = {}

    def __init_subclass__(cls, name=None, **kwargs):
        super().__init_subclass__(**kwargs)
        if name:
            BaseModel.registry[name] = cls

    def __init__(self, in_dim, out_dim, **kwargs):
        super().__init__()
        self.in_dim, self.out_dim = in_dim, out_dim
        self.body = self.build(**kwargs)
        self.head = nn.Linear(self.feature_dim, out_dim)

    @property
    @abstractmethod
    def feature_dim(self): ...

    @abstractmethod
    def build(self, **kwargs): ...

    def features(self, x):
        return self.body(x)

    def forward(self, x):
        return self.head(self.features(x))

    @torch.no_grad()
    def predict(self, x):
        self.eval()
        return self(x).argmax(-1)


class MLP(BaseModel, name="mlp"):
    def build(self, widths=(32, 16), dropout=0.1):
        self.widths = widths
        layers, last = [], self.in_dim
        for w in widths:
            layers += [nn.Linear(last, w), nn.ReLU(), nn.Dropout(dropout)]
            last = w
        return nn.Sequential(*layers)

    @property
    def feature_dim(self):
        return self.widths[-1]


class Recurrent(BaseModel, name="rnn"):
    def build(self, hidden=20, layers=1, bidirectional=True):
        self.hidden, self.both = hidden, bidirectional
        return nn.GRU(self.in_dim, hidden, layers, batch_first=True, bidirectional=bidirectional)

    @property
    def feature_dim(self):
        return self.hidden * (2 if self.both else 1)

    def features(self, x):
        out, h = self.body(x)
        return torch.cat([h[-2], h[-1]], dim=-1)


class Conv(BaseModel, name="conv"):
    def build(self, channels=12, kernel=3):
        self.channels = channels
        return nn.Sequential(nn.Conv1d(self.in_dim, channels, kernel), nn.ReLU(), nn.AdaptiveAvgPool1d(2), nn.Flatten())

    @property
    def feature_dim(self):
        return 2 * self.channels

    def features(self, x):
        return self.body(x.transpose(1, 2))
