from functools import reduce
import torch
from torch import Tensor
from jaxtyping import Float
def chain(x: Float[Tensor, "b d"], mats: list[Float[Tensor, "d d"]]) -> Float[Tensor, "b d"]:
    return reduce(lambda acc, m: acc @ m, mats, x)  #! return reduce(lambda acc, m: m @ acc, mats, x)  # E: shape


# run: chain(randn(2,3), [torch.eye(3)]*2)
