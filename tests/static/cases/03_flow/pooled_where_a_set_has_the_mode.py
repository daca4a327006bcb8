import torch
from jaxtyping import Float
from torch import Tensor

OVER_TOKENS = {"mean", "sum"}


def pooled(hidden: Float[Tensor, "batch seq width"], how: str) -> Tensor:
    if how in OVER_TOKENS | {"max"}:
        return getattr(torch, "amax" if how == "max" else how)(hidden, 1)
    return hidden


def logits(
    hidden: Float[Tensor, "batch seq width"], labels: Float[Tensor, "classes width"]
) -> Float[Tensor, "batch classes"]:
    return pooled(hidden, "sum") @ labels.T  #! return pooled(hidden, "none") @ labels.T  # E: shape


# run: logits(randn(2, 3, 5), randn(4, 5))
