import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor


def to_tensor(image: Float[np.ndarray, "h w 3"]) -> Float[Tensor, "3 h w"]:
    x = torch.from_numpy(image)
    return x.permute(2, 0, 1)  #! return x  # E: shape


# run: to_tensor(np.random.randn(5, 7, 3))
