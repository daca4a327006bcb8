from jaxtyping import Float
from torch import Tensor


def attention_output(
    weights: Float[
        Tensor,
        "  batch   heads  query key  ",
    ],
    values: Float[Tensor, "batch heads key   dim"],
) -> Float[Tensor, "batch heads query dim "]:
    return weights @ values  #! return weights.mT @ values  # E: shape


# run: attention_output(randn(2, 3, 5, 7), randn(2, 3, 7, 11))
