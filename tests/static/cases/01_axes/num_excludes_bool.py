import torch
from jaxtyping import Bool, Float, Num
from torch import Tensor


def column_total(x: Num[Tensor, "n d"]) -> Num[Tensor, "d"]:
    return x.sum(0)


def positives(x: Float[Tensor, "n d"]) -> Num[Tensor, "d"]:
    hits = x > 0
    return column_total(hits.int())  #! return column_total(hits)  # E: dtype


# run: positives(randn(3, 5))
