from abc import ABC, abstractmethod

import torch
import torch.nn as nn
import torch.nn.functional as F


class Factory:
    _known = {}

    @classmethod
    def register(cls, name):
        def wrap(item):
            cls._known[name] = item
            return item

        return wrap

    @classmethod
    def create(cls, name, **kwargs):
        return cls._known[name](**kwargs)


class Pooling(nn.Module, ABC):
    @abstractmethod
    def forward(self, x, mask): ...


@Factory.register("mean")
class MeanPool(Pooling):
    def forward(self, x, mask):
        w = mask.float().unsqueeze(-1)
        return (x * w).sum(1) / w.sum(1)


@Factory.register("attn")
class AttnPool(Pooling):
    def __init__(self, dim, hidden=16):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(dim, hidden), nn.Tanh(), nn.Linear(hidden, 1))  #! self.score = nn.Sequential(nn.Linear(dim, hidden), nn.Tanh(), nn.Linear(dim, 1))

    def forward(self, x, mask):
        s = self.score(x).squeeze(-1).masked_fill(~mask, -1e9)
        return torch.einsum("bt,btd->bd", s.softmax(-1), x)


class Classifier(nn.Module):
    def __init__(self, vocab, width, classes, pool="attn", **pool_kwargs):
        super().__init__()
        self.emb = nn.Embedding(vocab, width)
        self.pool = Factory.create(pool, **pool_kwargs)
        self.out = nn.Linear(width, classes)

    def forward(self, ids):
        return self.out(self.pool(self.emb(ids), ids > 0))


def main():
    torch.manual_seed(0)
    ids = torch.randint(0, 20, (5, 7))
    a = Classifier(20, 12, 3, pool="attn", **{"dim": 12})
    b = Classifier(20, 12, 3, pool="mean")
    return F.mse_loss(a(ids), b(ids)).item()  # E: shape


# run: main()
