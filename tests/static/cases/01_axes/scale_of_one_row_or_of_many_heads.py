from jaxtyping import Float
from torch import Tensor


def normalise(
    x: Float[Tensor, "batch seq d"] | Float[Tensor, "batch seq heads d"],
) -> Float[Tensor, "batch seq d"] | Float[Tensor, "batch seq heads d"]:
    x = x - x.mean(-1, keepdim=True)
    scale: Float[Tensor, "batch seq 1"] | Float[Tensor, "batch seq heads 1"] = (
        x.pow(2).mean(-1, keepdim=True).sqrt()  #! x.pow(2).mean(-2, keepdim=True).sqrt()  # E: shape
    )
    return x / scale


# run: normalise(randn(2, 3, 4)), normalise(randn(2, 3, 5, 4))
