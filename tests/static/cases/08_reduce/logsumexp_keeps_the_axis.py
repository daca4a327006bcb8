import torch
from jaxtyping import Float
from torch import Tensor


def log_partition(scores: Float[Tensor, "b tags tags"], alpha: Float[Tensor, "b tags"]) -> Float[Tensor, "b tags"]:
    return torch.logsumexp(alpha.unsqueeze(-1) + scores, dim=1)  #! return torch.logsumexp(alpha.unsqueeze(-1) + scores, dim=1, keepdim=True)  # E: shape


# run: log_partition(randn(2, 3, 3), randn(2, 3))
