import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


def cross(
    x: Float[Tensor, "b h q d"], k: Float[Tensor, "b h k d"], v: Float[Tensor, "b h k e"]
) -> Float[Tensor, "b h q e"]:
    return F.scaled_dot_product_attention(x, k, v)  #! return F.scaled_dot_product_attention(v, k, x)  # E: shape


# run: cross(randn(2, 3, 5, 7), randn(2, 3, 11, 7), randn(2, 3, 11, 13))
