from jaxtyping import Float
from torch import Tensor


def tokens(x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b h*w c"]:
    return x.flatten(2).transpose(1, 2)  #! return x.flatten(1, 2).transpose(1, 2)  # E: shape


# run: tokens(randn(2, 3, 5, 7))
