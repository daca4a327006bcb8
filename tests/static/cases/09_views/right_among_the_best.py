import torch
from jaxtyping import Float, Int
from torch import Tensor


def accuracy(logits: Float[Tensor, "n c"], labels: Int[Tensor, "n"]) -> Float[Tensor, ""]:
    _, pred = logits.topk(5, 1, True, True)
    pred = pred.t()
    correct = pred.eq(labels.view(1, -1).expand_as(pred))
    return correct[:3].reshape(-1).float().sum(0) / labels.size(0)  #! return correct[:3].view(-1).float().sum(0) / labels.size(0)  # E: contiguity


# run: accuracy(randn(7, 9), torch.randint(0, 9, (7,)))
