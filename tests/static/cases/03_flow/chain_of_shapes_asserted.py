from jaxtyping import Float
from torch import Tensor


def checked(a: Float[Tensor, "d out"], b: Float[Tensor, "d out"]) -> Float[Tensor, "d out"]:
    assert a.shape == b.shape == (3, 4)  #! assert a.shape == b.shape == (3, 4, 1)  # E: shape
    return a + b  # e: shape


# run: checked(randn(3, 4), randn(3, 4))
