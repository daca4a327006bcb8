from jaxtyping import Float
from torch import Tensor


def pool_pairs(x: Float[Tensor, "batch time chan"]) -> Float[Tensor, "batch time//2 chan"]:
    even = x[:, : x.shape[1] // 2 * 2]
    pairs = even.reshape(x.shape[0], x.shape[1] // 2, 2, x.shape[2])
    return pairs.mean(2)  #! return pairs.mean(1)  # E: shape


# run: pool_pairs(randn(2, 10, 7))
