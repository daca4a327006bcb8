import torch
import torch.nn.functional as F
from torch import nn


def main() -> None:
    model = nn.Linear(20, 5)
    images = torch.randn(16, 20)
    labels = torch.randint(0, 5, (16,))
    loss = F.cross_entropy(model(images), labels)  #! loss = F.cross_entropy(model(images), labels.float())  # E: dtype
    loss.backward()


# run: main()
