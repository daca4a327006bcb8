import torch
from jaxtyping import Bool, Int
from torch import Tensor


def key_mask(ids: Int[Tensor, "b s"], pad: int) -> Bool[Tensor, "b 1 1 s"]:
    return (ids != pad)[:, None, None, :]  #! return ids[:, None, None, :]  # E: dtype


# run: key_mask(randint(0, 3, (2, 5)), 0)
