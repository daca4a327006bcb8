import torch
from jaxtyping import Float
from torch import Tensor


def ridge(x: Float[Tensor, "n d"], y: Float[Tensor, "n"], lam: float) -> Float[Tensor, "d"]:
    a = x.T @ x + lam * torch.eye(x.shape[1])  #! a = x @ x.T + lam * torch.eye(x.shape[0])
    return torch.linalg.solve(a, x.T @ y)  # E: shape


# run: ridge(randn(7, 3), randn(7), 0.1)
