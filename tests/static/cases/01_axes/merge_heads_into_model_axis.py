from jaxtyping import Float
from torch import Tensor


def merge_heads(x: Float[Tensor, "b heads seq head_dim"]) -> Float[Tensor, "b seq heads*head_dim"]:
    b, h, s, d = x.shape
    return x.transpose(1, 2).reshape(b, s, h * d)  #! return x.transpose(1, 2).reshape(b, s * h, d)  # E: shape


# run: merge_heads(randn(2, 3, 5, 7))
