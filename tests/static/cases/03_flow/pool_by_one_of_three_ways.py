import torch
from torch import Tensor
from jaxtyping import Float


def readout(x: Float[Tensor, "b s d"], how: str) -> Float[Tensor, "b d"]:
    if how == "mean":
        out = x.mean(1)
    elif how == "max":
        out = x.max(1).values  #! out = x.max(1, keepdim=True).values
    else:
        out = x[:, -1]
    return out  # E: shape


# run: readout(randn(2,3,4), "max")
