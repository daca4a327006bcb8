import numpy as np
import torch
from torch import nn

from aug import Compose, Normalise, RandomFlip, ToTensor

prepare = Compose(ToTensor(), RandomFlip(), Normalise((0.5, 0.5, 0.5), (0.2, 0.2, 0.2)))


def main():
    image = np.zeros((32, 48, 3), dtype=np.uint8)
    x = prepare(image)  # E: shape
    return nn.Conv2d(3, 8, 3)(x.unsqueeze(0))


# run: main()
