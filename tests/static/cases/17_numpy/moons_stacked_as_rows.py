import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def moons(n: int, rng: np.random.Generator):
    t = np.linspace(0, np.pi, n)
    outer = np.stack([np.cos(t), np.sin(t)], axis=1)  #! outer = np.stack([np.cos(t), np.sin(t)])
    inner = np.stack([1 - np.cos(t), 0.5 - np.sin(t)], axis=1)
    x = np.concatenate([outer, inner], axis=0)  # E: shape
    return x + 0.1 * rng.normal(size=x.shape), np.concatenate([np.zeros(n), np.ones(n)])


def main() -> float:
    x, y = moons(50, np.random.default_rng(0))
    data = TensorDataset(torch.from_numpy(x).float(), torch.from_numpy(y).float())
    model, total = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1)), 0.0
    for features, labels in DataLoader(data, batch_size=20):
        total += nn.functional.binary_cross_entropy_with_logits(model(features).squeeze(-1), labels).item()
    return total


# run: main()
