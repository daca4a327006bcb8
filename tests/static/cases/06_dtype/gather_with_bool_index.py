import torch
from jaxtyping import Float, Int
from torch import Tensor


def chosen(q: Float[Tensor, "b actions"], action: Int[Tensor, "b"]) -> Float[Tensor, "b"]:
    index = action[:, None]  #! index = action[:, None] > 0
    return q.gather(1, index)[:, 0]  # E: dtype


# run: chosen(randn(3, 5), randint(0, 5, (3,)))
