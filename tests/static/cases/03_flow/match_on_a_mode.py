import torch
from jaxtyping import Float
from torch import Tensor


def reduce_loss(loss: Float[Tensor, "b"], weight: Float[Tensor, "b"], mode: str) -> Float[Tensor, ""]:
    match mode:
        case "mean":
            return (loss * weight).mean()
        case "sum":
            return (loss * weight).sum()  #! return loss * weight  # E: shape
        case _:
            raise ValueError(mode)


# run: reduce_loss(randn(3), randn(3), "sum")
