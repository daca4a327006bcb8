import torch
from jaxtyping import Float, Int
from torch import Tensor


def accuracy(logits: Float[Tensor, "b c"], labels: Int[Tensor, "b"]) -> Float[Tensor, ""]:
    pred = logits.argmax(dim=-1)  #! pred = logits.argmax(dim=-1, keepdim=True)
    return (pred == labels).float().mean()  # E: broadcast


# quiet: the comparison is b by b
# run: accuracy(torch.eye(5), torch.arange(5))
