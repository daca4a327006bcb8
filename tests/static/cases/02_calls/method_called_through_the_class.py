import torch
from jaxtyping import Float
from torch import Tensor


def halves(like: Float[Tensor, "b d"], x: Float[Tensor, "b 2*d"]) -> Float[Tensor, "b d"]:
    a, b = torch.chunk(x, 2, dim=1)
    return torch.mul(a, torch.sigmoid(b)).add(like)


def block(x: Float[Tensor, "n d"], w: Float[Tensor, "d 2*d"]) -> Float[Tensor, "n d"]:
    return halves(x, Tensor.matmul(x, w))  #! return halves(x, Tensor.matmul(w, x))  # E: shape


# run: block(randn(3, 5), randn(5, 10))
