import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


class Tabular(nn.Module):
    def __init__(self, cardinalities, n_num, hidden=16):
        super().__init__()
        self.embeds = nn.ModuleList([nn.Embedding(c, min(8, (c + 1) // 2)) for c in cardinalities])
        width = sum(e.embedding_dim for e in self.embeds)
        self.bn = nn.BatchNorm1d(n_num)
        self.net = nn.Sequential(nn.Linear(width + n_num, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, cat, num):
        e = torch.cat([emb(cat[:, i]) for i, emb in enumerate(self.embeds)], dim=1)
        return self.net(torch.cat([e, self.bn(num)], dim=1)).squeeze(1)


def load(n, rng):
    frame = {"city": rng.integers(0, 12, n), "kind": rng.integers(0, 5, n), "price": rng.normal(size=n), "size": rng.normal(size=n)}
    cat = np.stack([frame["city"], frame["kind"]], axis=1)
    num = np.stack([frame["price"], frame["size"]], axis=1).astype(np.float32)
    y = (frame["price"] > 0).astype(np.float32)
    return torch.from_numpy(cat), torch.from_numpy(num), torch.from_numpy(y)


def auc(scores, y):
    pos, neg = scores[y == 1], scores[y == 0]
    return (pos[:, None] > neg[None, :]).float().mean()


def main():
    rng = np.random.default_rng(0)
    cat, num, y = load(30, rng)
    model = Tabular([12, 5], 2)
    weights = torch.where(y == 1, 2.0, 1.0)
    logits = model(cat, num)
    loss = F.binary_cross_entropy_with_logits(logits, y, weight=weights)
    loss.backward()
    hist = torch.zeros(12).index_add_(0, cat[:, 0], torch.ones(30))  #! hist = torch.zeros(12, dtype=torch.long).index_add_(0, cat[:, 0], torch.ones(30))  # E: dtype
    return (loss + auc(logits.detach(), y) + hist.std()).item()


# run: main()
