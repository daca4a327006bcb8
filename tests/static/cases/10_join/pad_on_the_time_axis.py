import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


def left_pad(x: Float[Tensor, "b t c"]) -> Float[Tensor, "b t+3 c"]:
    return F.pad(x, (0, 0, 3, 0))  #! return F.pad(x, (3, 0))  # E: shape


# run: left_pad(randn(2, 5, 7))
