from jaxtyping import Float
from torch import Tensor


def pick(x: Float[Tensor, "*batch time d"]) -> Float[Tensor, "*batch d"]:
    return x[..., -1, :]  #! return x[..., -1]  # E: shape


def use(x: Float[Tensor, "a b t d"]) -> Float[Tensor, "a b d"]:
    return pick(x)


# run: use(randn(2, 3, 5, 7))
