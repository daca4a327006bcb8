import torch
from jaxtyping import Float
from torch import Tensor


def probabilities(logits: Float[Tensor, "batch classes"]) -> Float[Tensor, "batch classes"]:
    return torch.softmax(logits, dim=1)  #! return torch.softmax(logits, dim=2)  # E: shape


# run: probabilities(randn(4, 10))
