import torch
from torch import nn


def main() -> None:
    conv = nn.Conv2d(3, 16, kernel_size=3)
    photos = torch.rand(8, 224, 224, 3)
    print(conv(photos.permute(0, 3, 1, 2)).shape)  #! print(conv(photos).shape)  # E: shape


# run: main()
