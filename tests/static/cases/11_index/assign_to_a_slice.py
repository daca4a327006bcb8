import torch
from jaxtyping import Float
from torch import Tensor


def write_cache(
    cache: Float[Tensor, "batch capacity dim"], new: Float[Tensor, "batch step dim"], start: int
) -> Float[Tensor, "batch capacity dim"]:
    end = start + new.shape[1]
    cache[:, start:end] = new  #! cache[:, :, start:end] = new  # E: shape
    return cache


# run: write_cache(randn(2, 7, 5), randn(2, 3, 5), 1)
