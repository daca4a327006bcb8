"""A call that may be refused, with another way to the same result."""

from jaxtyping import Float
from torch import Tensor


def merged(x: Float[Tensor, "batch seq heads"]) -> Float[Tensor, "batch heads*seq"]:
    y = x.transpose(1, 2)
    try:
        return y.view(x.shape[0], -1)
    except RuntimeError:
        return y.reshape(x.shape[0], -1)


def product(a: Float[Tensor, "n d"], b: Float[Tensor, "m d"]) -> Float[Tensor, "n m"]:
    try:
        out = a @ b
    except (RuntimeError, ValueError):
        out = a @ b.T
    return out


# run: merged(randn(2, 3, 5)); product(randn(2, 3), randn(4, 3))
