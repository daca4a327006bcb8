import torch
from jaxtyping import Float
from torch import Tensor


def apply_rope(
    x: Float[Tensor, "b h s d"], cos: Float[Tensor, "s d"], sin: Float[Tensor, "s d"]
) -> Float[Tensor, "b h s d"]:
    first, second = x.chunk(2, dim=-1)
    rotated = torch.cat([-second, first], dim=-1)  #! rotated = torch.cat([-second, first], dim=-2)
    return x * cos + rotated * sin  # E: shape


# run: apply_rope(randn(2, 3, 5, 4), randn(5, 4), randn(5, 4))
