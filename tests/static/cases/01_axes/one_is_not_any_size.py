from jaxtyping import Float
from torch import Tensor


def squeeze_mask(mask: Float[Tensor, "b 1 s"]) -> Float[Tensor, "b s"]:
    return mask.squeeze(1)


def heads_mask(mask: Float[Tensor, "b h s"]) -> Float[Tensor, "b s"]:
    return squeeze_mask(mask[:, :1])  #! return squeeze_mask(mask)  # E: shape


# run: heads_mask(randn(2, 3, 5))
