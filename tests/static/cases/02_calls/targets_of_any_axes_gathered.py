import torch
from jaxtyping import Float, Int
from torch import Tensor


def picked(logits: Float[Tensor, "... vocab"], targets: Int[Tensor, "..."]) -> Float[Tensor, "..."]:
    index = targets.unsqueeze(-1)  #! index = targets
    return torch.gather(logits.log_softmax(-1), -1, index).squeeze(-1)


def loss(logits: Float[Tensor, "batch seq vocab"], tokens: Int[Tensor, "batch seq"]) -> Float[Tensor, ""]:
    return -picked(logits[:, :-1], tokens[:, 1:]).mean()  # E: shape


# run: loss(randn(2, 5, 7), torch.zeros(2, 5).long())
