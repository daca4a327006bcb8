import torch
from jaxtyping import Float
from torch import Tensor


def clip_norm(grad: Float[Tensor, "n d"], limit: float) -> Float[Tensor, "n d"]:
    if (norm := grad.norm(dim=-1, keepdim=True)).max() > limit:  #! if (norm := grad.norm(dim=-1)).max() > limit:
        grad = grad * (limit / norm)  # E: shape
    return grad


# run: clip_norm(100 * randn(3, 5), 1.0)
