import torch
from jaxtyping import Bool
from torch import Tensor


def causal(n: int) -> Bool[Tensor, "{n} {n}"]:
    return torch.ones(n, n, dtype=torch.bool).tril()  #! return torch.ones(n, n).tril()  # E: dtype


# run: causal(5)
