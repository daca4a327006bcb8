import torch
from jaxtyping import BFloat16, Float
from torch import Tensor


def to_low(x: Float[Tensor, "b d"]) -> BFloat16[Tensor, "b d"]:
    return x.to(torch.bfloat16)  #! return x.to(torch.float16)  # E: dtype


# run: to_low(randn(3, 5))
