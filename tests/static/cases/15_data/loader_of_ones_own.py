import numpy as np
import torch
from torch import nn


class Loader:
    def __init__(self, data, batch_size, context):
        self.data, self.batch_size, self.context = data, batch_size, context

    def __len__(self):
        return (len(self.data) - 1) // (self.batch_size * self.context)

    def __iter__(self):
        rng = np.random.default_rng(0)
        for _ in range(len(self)):
            starts = rng.integers(0, len(self.data) - self.context, size=self.batch_size)
            x = np.stack([self.data[s : s + self.context] for s in starts])
            y = np.stack([self.data[s + 1 : s + 1 + self.context] for s in starts])
            yield torch.from_numpy(x.astype(np.int64)), torch.from_numpy(y.astype(np.int64))


def main():
    loader = Loader(np.random.default_rng(0).integers(0, 40, size=200).astype(np.uint16), 4, 8)
    model, total = nn.Sequential(nn.Embedding(40, 12), nn.Linear(12, 40)), 0.0
    for x, y in loader:
        logits = model(x)
        total += nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten()).item()  #! total += nn.functional.cross_entropy(logits, y).item()  # E: shape
    return total


# run: main()
