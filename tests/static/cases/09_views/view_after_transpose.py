from jaxtyping import Float
from torch import Tensor


def merge(x: Float[Tensor, "b h s d"]) -> Float[Tensor, "b s h*d"]:
    b, h, s, d = x.shape
    return x.transpose(1, 2).reshape(b, s, h * d)  #! return x.transpose(1, 2).view(b, s, h * d)  # E: contiguity


# run: merge(randn(2, 3, 5, 7))
