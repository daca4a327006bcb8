import torch
from torch import nn


def main() -> None:
    model = nn.Linear(10, 1)
    criterion = nn.BCEWithLogitsLoss()
    x = torch.randn(32, 10)
    y = torch.randint(0, 2, (32,)).float()
    loss = criterion(model(x).squeeze(1), y)  #! loss = criterion(model(x), y)  # E: shape
    loss.backward()


# run: main()
