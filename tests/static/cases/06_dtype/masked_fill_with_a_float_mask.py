import torch
from jaxtyping import Float
from torch import Tensor


def causal(scores: Float[Tensor, "b q k"]) -> Float[Tensor, "b q k"]:
    q, k = scores.shape[-2:]
    future = torch.ones(q, k, dtype=torch.bool).triu(1)  #! future = torch.ones(q, k).triu(1)
    return scores.masked_fill(future, float("-inf"))  # E: dtype


# run: causal(randn(2, 3, 5))
