import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


def blur(x: Float[Tensor, "b 1 h w"]) -> Float[Tensor, "b 1 h w"]:
    kernel = torch.full((1, 1, 3, 3), 1 / 9)
    return F.conv2d(x, kernel, padding=1)  #! return F.conv2d(x, kernel)  # E: shape


# run: blur(randn(2, 1, 5, 7))
