from jaxtyping import Float
from torch import Tensor


def as_batch(x: Float[Tensor, "d"], repeat: int) -> Float[Tensor, "{repeat} d"]:
    if repeat == 1:
        return x[None]  #! return x  # E: shape
    return x.expand(repeat, -1)


# run: as_batch(randn(5), 1)
