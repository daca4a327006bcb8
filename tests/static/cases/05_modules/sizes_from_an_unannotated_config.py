from types import SimpleNamespace

import torch
from torch import nn


class MLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.fc = nn.Linear(config.n_embd, 4 * config.n_embd)
        self.proj = nn.Linear(4 * config.n_embd, config.n_embd)  #! self.proj = nn.Linear(config.n_embd, config.n_embd)

    def forward(self, x):
        return self.proj(torch.relu(self.fc(x)))  #! return self.proj(torch.relu(self.fc(x)))  # E: shape


class Gate(nn.Module):
    def __init__(self, width, hidden=None):
        super().__init__()
        hidden = hidden or 2 * width
        self.up = nn.Linear(width, 2 * width)
        self.norm = nn.LayerNorm(2 * width)  #! self.norm = nn.LayerNorm(width)
        self.down = nn.Linear(2 * width, hidden)

    def forward(self, x):
        return self.down(self.norm(self.up(x)))  #! return self.down(self.norm(self.up(x)))  # E: shape


def use(x):
    return MLP(SimpleNamespace(n_embd=x.shape[-1]))(x), Gate(x.shape[-1])(x)


# run: use(randn(2, 3))
