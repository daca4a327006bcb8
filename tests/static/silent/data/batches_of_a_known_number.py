"""How many items a batch has is known, but for the last one."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, Subset, TensorDataset, random_split


class Numbered(Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        return torch.randn(3), i


def two_batches():
    batches = iter(DataLoader(TensorDataset(torch.randn(40, 3)), batch_size=32))
    (first,), (last,) = next(batches), next(batches)
    assert first.shape == (32, 3)
    assert last.shape == (8, 3)
    assert torch.cat([first, last]).shape == (40, 3)
    return first.sum() + last.sum()


def hidden_of_the_last(loader, rnn):
    state = torch.zeros(1, 32, 3)
    for x, i in loader:
        if len(x) < 32:
            state = state[:, : len(x)]
        _, state = rnn(x[:, None], state)
        state = state.detach()
    return state


def collected():
    data = TensorDataset(torch.randn(50, 3), torch.randint(0, 4, (50,)))
    train, rest = random_split(data, [30, 20])
    outputs, labels = [], []
    for x, y in DataLoader(train, batch_size=7):
        outputs.append(x)
        labels.append(y)
    assert torch.cat(outputs).shape == (30, 3)
    for x, y in DataLoader(Subset(data, range(6)), batch_size=8):
        assert x.shape == (6, 3)
        x * y[:, None] + torch.zeros(6, 1)
    return torch.cat(labels).shape[0] + len(rest)


def differences():
    before = None
    for x, _ in DataLoader(Numbered(9), batch_size=3):
        if before is not None:
            x - before
        before = x
    for x, _ in DataLoader(Numbered(10), batch_size=4, drop_last=True):
        x.view(4, 3) + x.reshape(-1, 6).view(4, 3)
        halves = x.chunk(2)
        halves[0] - halves[1]
    return before


def options(config):
    width = {"heads": 2}.get("width", 6)
    given = config.get("width", 4)
    return nn.Linear(width, given)(torch.zeros(2, 6))


# run: two_batches()
# run: hidden_of_the_last(DataLoader(Numbered(40), batch_size=32), nn.GRU(3, 3, batch_first=True))
# run: collected()
# run: differences()
# run: options({"width": 3})
