from dataclasses import asdict, dataclass, field

import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset


@dataclass
class ModelConfig:
    in_dim: int = 6
    hidden: int = 12
    out_dim: int = 3
    extra: dict = field(default_factory=dict)

    def kwargs(self):
        d = asdict(self)
        d.pop("extra")
        return d


@dataclass
class DataConfig:
    features: int = 6
    window: int = 10


class Stream(IterableDataset):
    def __init__(self, cfg, n):
        self.cfg, self.n = cfg, n

    def __iter__(self):
        for _ in range(self.n):
            x = torch.randn(self.cfg.window, self.cfg.features)  #! x = torch.randn(self.cfg.features, self.cfg.window)
            yield x, x.mean(0)[:3]


class Recurrent(nn.Module):
    def __init__(self, in_dim, hidden, out_dim):
        super().__init__()
        self.rnn, self.head = nn.GRU(in_dim, hidden, batch_first=True), nn.Linear(hidden, out_dim)

    def forward(self, x):
        return self.head(self.rnn(x)[0].mean(1))


def main():
    model, total = Recurrent(**ModelConfig().kwargs()), 0.0
    for x, y in DataLoader(Stream(DataConfig(), 8), batch_size=4):
        total += nn.functional.mse_loss(model(x), y).item()  # E: shape
    return total


# run: main()
