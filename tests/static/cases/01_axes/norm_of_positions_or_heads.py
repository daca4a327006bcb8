import torch
from jaxtyping import Float
from torch import Tensor


def normalised(
    x: Float[Tensor, "batch pos d_model"] | Float[Tensor, "batch pos head d_model"],
) -> Float[Tensor, "batch pos d_model"] | Float[Tensor, "batch pos head d_model"]:
    x = x - x.mean(-1, keepdim=True)
    scale: Float[Tensor, "batch pos 1"] | Float[Tensor, "batch pos head 1"]
    scale = x.pow(2).mean(-1, keepdim=True).sqrt()  #! scale = x.pow(2).mean(-1).sqrt()  # E: shape
    return x / scale


# run: normalised(randn(2, 3, 5))
# run: normalised(randn(2, 3, 4, 5))
