"""Bytes are integers where they index an array of numpy, and a mask where they index a tensor."""

import numpy as np
import torch
from jaxtyping import Float, UInt8
from torch import Tensor


def coloured(labels: UInt8[np.ndarray, "h w"], palette: UInt8[np.ndarray, "256 3"]) -> UInt8[np.ndarray, "h w 3"]:
    return palette[labels]


def looked_up(image: UInt8[np.ndarray, "h w"]) -> Float[np.ndarray, "h w"]:
    return np.linspace(0, 1, 256)[image]


def cleared(x: Float[np.ndarray, "n d"], rows: UInt8[np.ndarray, "k"]) -> None:
    x[rows] = 0.0
    x[rows, 0] += 1.0


def chosen(x: Float[Tensor, "n d"], mask: UInt8[Tensor, "n"]) -> Float[Tensor, "m d"]:
    return x[mask]


# run: coloured(np.zeros((4, 5), np.uint8), np.zeros((256, 3), np.uint8))
# run: looked_up(np.zeros((4, 5), np.uint8))
# run: cleared(np.zeros((4, 5)), np.zeros(2, np.uint8))
# run: chosen(randn(3, 2), torch.tensor([1, 0, 1], dtype=torch.uint8))
