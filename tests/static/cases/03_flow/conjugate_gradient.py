import torch
from jaxtyping import Float
from torch import Tensor


def conjugate_gradient(
    A: Float[Tensor, "n n"], b: Float[Tensor, "n"], *, iters: int = 50, tol: float = 1e-8
) -> tuple[Float[Tensor, "n"], int]:
    x = torch.zeros_like(b)
    r = b - A @ x
    p = r.clone()
    rs = r @ r
    for i in range(iters):
        Ap = A @ p
        alpha = rs / (p @ Ap)
        x = x + alpha * p
        r = r - alpha * Ap
        rs_new = r @ r
        if rs_new.sqrt() < tol:  # E: shape
            return x, i  # e: shape
        p = r + (rs_new / rs) * p  #! p = torch.outer(r, p) + (rs_new / rs) * p  # e: shape
        rs = rs_new
    return x, iters


# run: conjugate_gradient(randn(3, 3) @ randn(3, 3), randn(3), iters=3, tol=0.0)
