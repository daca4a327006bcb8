import torch
from jaxtyping import Float
from torch import Tensor


def normalised(x: Float[Tensor, "n d"], kind: str) -> Float[Tensor, "n d"]:
    match kind:
        case "l2":
            scale = x.norm(dim=1, keepdim=True)
        case "max":
            scale = x.abs().amax(dim=1, keepdim=True)  #! scale = x.abs().amax(dim=1)
        case _:
            scale = torch.ones(x.shape[0], 1)
    return x / scale  # E: shape


# run: normalised(randn(3, 4), "max")
