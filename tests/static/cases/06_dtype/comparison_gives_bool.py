import torch
from jaxtyping import Float
from torch import Tensor


def accuracy(logits: Float[Tensor, "b c"], onehot: Float[Tensor, "b c"]) -> Float[Tensor, ""]:
    hit = logits.argmax(-1) == onehot.argmax(-1)
    return hit.float().mean()  #! return hit.sum()  # E: dtype


# run: accuracy(randn(3, 5), torch.eye(5)[:3])
