from jaxtyping import Float
from torch import Tensor


def curvature(x: Float[Tensor, "batch n"]) -> Float[Tensor, "batch n-2"]:
    return x[:, 2:] - 2 * x[:, 1:-1] + x[:, :-2]  #! return x[:, 2:] - 2 * x[:, 1:] + x[:, :-2]  # E: shape


def lagged(x: Float[Tensor, "batch n"]) -> Float[Tensor, "batch n-3"]:
    return x[:, 3:] - x[:, :-3]  #! return x[:, 3:] - x[:, :-2]  # E: shape


def trimmed(x: Float[Tensor, "batch n"]) -> Float[Tensor, "batch n-4"]:
    return x[:, 2:-2]  #! return x[:, 2:-1]  # E: shape


# run: curvature(randn(2, 7))
# run: lagged(randn(2, 7))
# run: trimmed(randn(2, 7))
