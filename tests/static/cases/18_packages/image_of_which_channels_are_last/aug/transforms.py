from __future__ import annotations

import numpy as np
import torch
from torch import Tensor


class ToTensor:
    def __call__(self, image: np.ndarray) -> Tensor:
        return torch.from_numpy(image).permute(2, 0, 1).float() / 255  #! return torch.from_numpy(image).float() / 255


class Normalise:
    def __init__(self, mean: tuple[float, ...], std: tuple[float, ...]) -> None:
        self.mean = torch.tensor(mean).view(-1, 1, 1)
        self.std = torch.tensor(std).view(-1, 1, 1)

    def __call__(self, image: Tensor) -> Tensor:
        return (image - self.mean) / self.std


class RandomFlip:
    def __call__(self, image: Tensor) -> Tensor:
        return image.flip(-1) if torch.rand(()) < 0.5 else image


class Compose:
    def __init__(self, *steps) -> None:
        self.steps = steps

    def __call__(self, x):
        for step in self.steps:
            x = step(x)
        return x
