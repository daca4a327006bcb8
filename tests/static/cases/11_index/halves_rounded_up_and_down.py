from jaxtyping import Float
from torch import Tensor


def first_half(x: Float[Tensor, "n d"], k: int) -> Float[Tensor, "-(-n//{k}) d"]:
    return x[: -(-x.shape[0] // k)]  #! return x[: -(-x.shape[1] // k)]  # E: shape


def halves(x: Float[Tensor, "n d"], y: Float[Tensor, "2*n d"]) -> Float[Tensor, "n d"]:
    k = -(-y.shape[0] // 2)
    return y[:k] + y[k:]  #! return y[:k] + y[k - 1 :]  # E: shape


# run: first_half(randn(5, 9), 2)
# run: halves(randn(3, 4), randn(6, 4))
