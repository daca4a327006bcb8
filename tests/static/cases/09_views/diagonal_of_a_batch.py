import torch
from jaxtyping import Float
from torch import Tensor


def positives(sim: Float[Tensor, "b n n"]) -> Float[Tensor, "b n"]:
    return sim.diagonal(dim1=-2, dim2=-1)  #! return sim.diagonal()  # E: shape


# run: positives(randn(2, 5, 5))
