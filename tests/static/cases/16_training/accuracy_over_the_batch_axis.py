import torch
from jaxtyping import Float, Int
from torch import Tensor


def topk_accuracy(logits: Float[Tensor, "b c"], y: Int[Tensor, "b"], k: int) -> Float[Tensor, ""]:
    top = logits.topk(k, dim=1).indices
    hit = (top == y[:, None]).any(dim=1)
    return hit.float().mean()  #! return hit.float()  # E: shape


# run: topk_accuracy(randn(7, 5), randint(0, 5, (7,)), 3)
