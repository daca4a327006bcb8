import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, lookback, horizon, hidden=64):
        super().__init__()
        self.fc = nn.Sequential(nn.Linear(lookback, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.back = nn.Linear(hidden, lookback)
        self.fore = nn.Linear(hidden, horizon)

    def forward(self, x):
        h = self.fc(x)
        return self.back(h), self.fore(h)  #! return self.fore(h), self.back(h)


class NBeats(nn.Module):
    def __init__(self, lookback=60, horizon=10, blocks=3):
        super().__init__()
        self.horizon = horizon
        self.blocks = nn.ModuleList([Block(lookback, horizon) for _ in range(blocks)])

    def forward(self, x):
        total = torch.zeros(x.shape[0], self.horizon)
        for block in self.blocks:
            back, fore = block(x)
            x = x - back
            total = total + fore
        return total


def main():
    return NBeats()(torch.randn(16, 60))  # E: shape


# run: main()
