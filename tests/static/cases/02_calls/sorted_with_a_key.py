import torch
from jaxtyping import Float
from torch import Tensor


def norm(x: Float[Tensor, "d"]) -> float:
    return float(x.norm())


def by_norm(vectors: list[Float[Tensor, "d"]]) -> Float[Tensor, "n d"]:
    ordered = sorted(vectors, key=norm)
    return torch.stack(ordered)  #! return torch.cat(ordered)  # E: shape


# run: by_norm([randn(5), randn(5), randn(5)])
