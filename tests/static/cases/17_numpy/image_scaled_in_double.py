import numpy as np
import torch
from jaxtyping import Float, Float32, UInt8
from torch import Tensor


def prepare(
    image: UInt8[np.ndarray, "h w 3"], mean: Float[np.ndarray, "3"]
) -> Float32[Tensor, "3 h w"]:
    x = image.astype(np.float32) / 255  #! x = image.astype(np.float64) / 255
    return torch.from_numpy((x - mean).transpose(2, 0, 1))  # E: dtype


# run: prepare(np.zeros((5, 7, 3), np.uint8), np.zeros(3, np.float32))
