import torch
from jaxtyping import Float, Int
from torch import Tensor


def page_of(position: Int[Tensor, "n"], page: int) -> Int[Tensor, "n"]:
    return position // page  #! return position / page  # E: dtype


# run: page_of(torch.arange(11), 4)
