import torch
from jaxtyping import Float, Int
from torch import Tensor


def one_hot(ids: Int[Tensor, "batch"], classes: int) -> Float[Tensor, "batch {classes}"]:
    return torch.eye(classes)[ids]


def targets(logits: Float[Tensor, "batch c"]) -> Float[Tensor, "batch c"]:
    best = logits.argmax(-1)  #! best = logits.amax(-1)
    return one_hot(best, logits.shape[-1])  # E: dtype


# run: targets(randn(3, 5))
