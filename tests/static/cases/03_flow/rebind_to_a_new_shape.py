import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


def head(
    x: Float[Tensor, "b s d"], w1: Float[Tensor, "h d"], w2: Float[Tensor, "c h"]
) -> Float[Tensor, "b c"]:
    x = F.linear(x, w1)
    x = F.gelu(x)
    x = x.mean(1)  #! x = x.mean(2)
    x = F.linear(x, w2)  # E: shape
    return x


# run: head(randn(2, 3, 5), randn(7, 5), randn(11, 7))
