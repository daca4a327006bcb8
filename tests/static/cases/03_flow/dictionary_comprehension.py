import torch
from jaxtyping import Float
from torch import Tensor


def pooled(levels: dict[str, Float[Tensor, "b c h w"]]) -> dict[str, Float[Tensor, "b c"]]:
    return {name: x.mean((2, 3)) for name, x in levels.items()}  #! return {name: x.mean(2) for name, x in levels.items()}  # E: shape


# run: pooled({"p3": randn(2, 3, 5, 7)})
