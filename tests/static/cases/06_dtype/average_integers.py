import torch
from jaxtyping import Float, Int
from torch import Tensor


def mean_rank(ranks: Int[Tensor, "queries items"]) -> Float[Tensor, "queries"]:
    return ranks.float().mean(-1)  #! return ranks.sum(-1)  # E: dtype


# run: mean_rank(randint(0, 9, (3, 5)))
