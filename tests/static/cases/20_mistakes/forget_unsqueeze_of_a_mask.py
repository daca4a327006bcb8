from jaxtyping import Bool, Float
from torch import Tensor


def zero_padding(
    x: Float[Tensor, "batch seq d_model"], keep: Bool[Tensor, "batch seq"]
) -> Float[Tensor, "batch seq d_model"]:
    return x * keep.unsqueeze(-1)  #! return x * keep  # E: shape


# run: zero_padding(randn(2, 5, 8), randn(2, 5) > 0)
