from jaxtyping import Float
from torch import Tensor

BCHW = "batch chan height width"
BLC = "batch height*width chan"


def to_sequence(x: Float[Tensor, BCHW]) -> Float[Tensor, BLC]:
    return x.flatten(2).mT  #! return x.flatten(2)  # E: shape


# run: to_sequence(randn(2, 3, 5, 7))
