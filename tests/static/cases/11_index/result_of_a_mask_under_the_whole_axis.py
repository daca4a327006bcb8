import torch
from jaxtyping import Float
from torch import Tensor


def without_outliers(x: Float[Tensor, "n d"], limit: float) -> Float[Tensor, "n d"]:
    norms = x.norm(dim=1)
    return torch.where(norms[:, None] < limit, x, 0.0)  #! return x[norms < limit]  # E: shape


# run: without_outliers(torch.eye(3) * torch.tensor([1.0, 5.0, 1.0]), 2.0)
