from einops import einsum
from jaxtyping import Float
from torch import Tensor


def scores(
    q: Float[Tensor, "batch query heads dim"], k: Float[Tensor, "batch key heads dim"]
) -> Float[Tensor, "batch heads query key"]:
    pattern = "batch q heads dim, batch k heads dim -> batch heads q k"  #! pattern = "batch q heads dim, batch k heads dim -> batch q heads k"
    return einsum(q, k, pattern)  # E: shape


# run: scores(randn(2, 3, 5, 7), randn(2, 11, 5, 7))
