import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


def pyramid(x: Float[Tensor, "b c h w"], levels: int) -> list[Float[Tensor, "b c _ _"]]:
    if levels == 0:
        return [x]
    return [x, *pyramid(F.avg_pool2d(x, 2), levels - 1)]


def descriptor(x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b c"]:
    out = x.mean((2, 3))
    for level in pyramid(x, 2):
        out = out + level.mean((2, 3))  #! out = out + level.mean((2, 3), keepdim=True)  # E: shape|broadcast
    return out  # e: shape


# run: descriptor(randn(2, 3, 16, 20))
