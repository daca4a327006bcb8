import torch
from jaxtyping import Float
from torch import Tensor


def solve(a: Float[Tensor, "n n"], b: Float[Tensor, "n"], tol: float = 1e-3) -> Float[Tensor, "n"]:
    x = torch.zeros_like(b)
    residual = b
    steps = 0
    while residual.norm() > tol and steps < 50:
        x = x + 0.1 * residual
        residual = b - a @ x
        steps += 1
    return x  #! return x.unsqueeze(0)  # E: shape


# run: solve(torch.eye(3), randn(3))
