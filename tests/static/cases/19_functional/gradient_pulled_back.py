import torch
from jaxtyping import Float
from torch import Tensor
from torch.func import jvp, vjp


def directional(
    w: Float[Tensor, "o i"], x: Float[Tensor, "n i"], v: Float[Tensor, "n i"], g: Float[Tensor, "n o"]
) -> Float[Tensor, "n i"]:
    def f(x: Tensor) -> Tensor:
        return torch.tanh(x @ w.T)

    _, change = jvp(f, (x,), (v,))
    _, back = vjp(f, x)
    (gradient,) = back(change - g)  #! (gradient,) = back(v)  # E: shape
    return gradient


# run: directional(randn(2, 3), randn(5, 3), randn(5, 3), randn(5, 2))
