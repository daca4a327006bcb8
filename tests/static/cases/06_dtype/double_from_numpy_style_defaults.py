import torch
from jaxtyping import Float, Float32
from torch import Tensor


def decay(x: Float32[Tensor, "t d"], rate: float) -> Float32[Tensor, "t d"]:
    steps = torch.arange(x.shape[0], dtype=torch.float32)  #! steps = torch.arange(x.shape[0], dtype=torch.float64)
    weight = torch.exp(-rate * steps)
    return x * weight[:, None]  # E: dtype


# run: decay(randn(3, 5), 0.5)
