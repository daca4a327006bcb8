import torch
from jaxtyping import Float, Int
from torch import Tensor


def class_balance(labels: Int[Tensor, "n"], positives: int) -> Float[Tensor, ""]:
    return (labels == positives).float().mean()  #! return (labels == positives).mean()  # E: dtype


# run: class_balance(randint(0, 3, (11,)), 1)
