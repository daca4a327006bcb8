import torch
from jaxtyping import Float
from torch import Tensor


def project(x: Float[Tensor, "n d"], w: Float[Tensor, "d k"]) -> Float[Tensor, "n k"]:
    low = x.to(torch.bfloat16)
    return (low @ w.to(torch.bfloat16)).float()  #! return (low @ w.float()).float()  # E: dtype


# run: project(randn(3, 5), randn(5, 7))
