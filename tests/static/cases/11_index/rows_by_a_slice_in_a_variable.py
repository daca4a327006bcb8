from jaxtyping import Float
from torch import Tensor


def chunk(
    x: Float[Tensor, "seq dim"], weight: Float[Tensor, "dim out"], start: int
) -> Float[Tensor, "rows out"]:
    rows = slice(start, start + 2)
    return x[rows] @ weight  #! return x[rows] @ weight.T  # E: shape


# run: chunk(randn(4, 5), randn(5, 7), 1)
