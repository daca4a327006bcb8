from jaxtyping import Float
from torch import Tensor


def scaled(x: Float[Tensor, "n d"], heads: int) -> Float[Tensor, "n d"]:
    parts = x.view(x.shape[0], heads, -1)
    parts = parts / parts.norm(dim=-1, keepdim=True)
    return parts.flatten(1)  #! return parts.sum(-1)  # E: shape


# run: scaled(randn(3, 8), 2)
