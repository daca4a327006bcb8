import torch
from torch import nn


def main() -> None:
    criterion = nn.CrossEntropyLoss()
    logits = torch.randn(16, 5, requires_grad=True)
    labels = torch.randint(0, 5, (16,))  #! labels = torch.randint(0, 5, (16, 1))
    criterion(logits, labels).backward()  # E: shape|dtype


# run: main()
