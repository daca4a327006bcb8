from jaxtyping import Float
from torch import Tensor


def unit_rows(x: Float[Tensor, "batch d"]) -> Float[Tensor, "batch d"]:
    return x / x.norm(dim=-1, keepdim=True)  #! return x / x.norm(dim=-1)  # E: shape


# run: unit_rows(randn(4, 7))
