import torch
from torch import nn


def main() -> None:
    model = nn.Linear(28 * 28, 10)
    images = torch.randn(64, 1, 28, 28)
    flat = torch.flatten(images, 1)  #! flat = torch.flatten(images)
    print(model(flat).shape)  # E: shape


# run: main()
