from jaxtyping import Float
from torch import Tensor


def split_heads(x: Float[Tensor, "b s d"], n_heads: int) -> Float[Tensor, "b s {n_heads} d//{n_heads}"]:
    b, s, d = x.shape
    head_dim = d // n_heads
    return x.view(b, s, n_heads, head_dim)  #! return x.view(b, n_heads, s, head_dim)  # E: shape


# run: split_heads(randn(2, 5, 21), 3)
