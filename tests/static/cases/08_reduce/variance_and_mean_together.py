import torch
from jaxtyping import Float
from torch import Tensor


def batch_norm(x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
    var, mean = torch.var_mean(x, dim=0)  #! var, mean = torch.var_mean(x, dim=1)
    return (x - mean) * torch.rsqrt(var + 1e-5)  # E: shape


# run: batch_norm(randn(3, 5))
