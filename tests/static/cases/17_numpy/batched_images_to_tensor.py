import numpy as np
import torch
from jaxtyping import Float, UInt8
from torch import Tensor


def to_batch(images: UInt8[np.ndarray, "n h w 3"]) -> Float[Tensor, "n 3 h w"]:
    x = np.transpose(images.astype(np.float32) / 255.0, (0, 3, 1, 2))  #! x = np.transpose(images.astype(np.float32) / 255.0, (0, 3, 2, 1))
    return torch.from_numpy(x)  # E: shape


# run: to_batch(np.zeros((2, 5, 7, 3), dtype=np.uint8))
