from torch import nn


class Head(nn.Module):
    def __init__(self, width, out, hidden=None):
        super().__init__()
        hidden = hidden or 2 * width
        self.fc1 = nn.Linear(width, hidden)
        self.fc2 = nn.Linear(hidden, out)

    def forward(self, x):
        return self.fc2(self.fc1(x).relu())


def build_heads(width, tasks):
    return nn.ModuleDict({name: Head(width, n) for name, n in tasks.items()})
