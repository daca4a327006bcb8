from jaxtyping import Float
from torch import Tensor

Features = Float[Tensor, "... channels"]  #! Features = Float[Tensor, "...channels"]  # E: axes


def unit(x: Features) -> Features:
    return x / x.norm(dim=-1, keepdim=True)


# run: unit(randn(2, 3, 5))
