import torch
from jaxtyping import Float
from torch import Tensor


def sums(parts: list[Float[Tensor, "b d"]]) -> Float[Tensor, "n b"]:
    found = [None] * len(parts)
    for i, part in enumerate(parts):
        found[i] = part.sum(1)  #! found[i] = part.sum(0)
    return torch.stack(found)  # E: shape


# run: sums([randn(2, 3)] * 4)
