import torch
from jaxtyping import Float
from torch import Tensor


def fold_time(x: Float[Tensor, "b t d"], k: int) -> Float[Tensor, "b n kd"]:
    b, t, d = x.shape
    n, rest = divmod(t, k)
    if rest:
        x = x[:, : n * k]
    return x.reshape(b, n, k * d)  #! return x.reshape(b, n, k, d)  # E: shape


# run: fold_time(randn(2, 7, 3), 2)
