"""topk gives values and indices: an index is of the second kind."""

import torch
from jaxtyping import Float
from torch import Tensor


def best(scores: Float[Tensor, "n"], boxes: Float[Tensor, "n 4"]) -> tuple[Tensor, Tensor]:
    top = scores.topk(3).indices  #! top = scores.topk(3).values
    chosen = boxes[top]  #! chosen = boxes[top]  # E: dtype
    return chosen, scores[top]  # E: dtype


# run: best(randn(5), randn(5, 4))
