import torch
from jaxtyping import Float
from torch import Tensor


def by_score(boxes: Float[Tensor, "n 4"], scores: Float[Tensor, "n"]) -> Float[Tensor, "n 4"]:
    order = scores.argsort(descending=True)
    return boxes[order]  #! return boxes[order.unsqueeze(1)]  # E: shape


# run: by_score(randn(3, 4), randn(3))
