import torch
from jaxtyping import Float
from torch import Tensor


def sample(mean: Float[Tensor, "d"], cov: Float[Tensor, "d d"], n: int) -> Float[Tensor, "{n} d"]:
    try:
        root = torch.linalg.cholesky(cov)
    except torch.linalg.LinAlgError:
        root = torch.diag(cov.diagonal().clamp_min(0).sqrt())
    noise = torch.randn(n, mean.shape[0])
    return mean + noise @ root.T  #! return mean + root @ noise  # E: shape


# run: sample(randn(3), torch.eye(3), 5)
