from functools import cached_property, partial

import torch
from torch import nn


class Recurrent(nn.Module):
    def __init__(self, in_dim, hidden, out_dim, layers, mode="last"):
        super().__init__()
        self.rnn = nn.GRU(in_dim, hidden, layers, batch_first=True)
        self.head = nn.Linear(hidden, out_dim)
        self.mode = mode

    def pool_last(self, out):
        return out[:, -1]

    def pool_mean(self, out):
        return out.mean(1)

    def forward(self, x):
        out, _ = self.rnn(x)
        return self.head(getattr(self, f"pool_{self.mode}")(out))


class Wrapper(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, *args, **kwargs):
        return self.module(*args, **kwargs)


class EMA:
    def __init__(self, model, decay=0.9):
        import copy

        self.shadow = copy.deepcopy(model)
        self.decay = decay

    @torch.no_grad()
    def update(self, model):
        for s, p in zip(self.shadow.parameters(), model.parameters()):
            s.lerp_(p, 1 - self.decay)

    def __call__(self, x):
        return self.shadow(x)
