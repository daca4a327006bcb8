import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


def local_patches(x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b c 9 h w"]:
    b, c, h, w = x.shape
    cols = F.unfold(x, kernel_size=3, padding=1)  #! cols = F.unfold(x, kernel_size=3)
    return cols.view(b, c, 9, h, w)  # E: shape


# run: local_patches(randn(1, 2, 4, 5))
