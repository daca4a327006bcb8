import torch
from jaxtyping import Float
from torch import Tensor


def hessian_times(
    a: Float[Tensor, "d d"], x: Float[Tensor, "d"], v: Float[Tensor, "d"]
) -> Float[Tensor, "d"]:
    x = x.detach().requires_grad_()
    (slope,) = torch.autograd.grad(x @ a @ x, x, create_graph=True)
    (curved,) = torch.autograd.grad(slope, x, grad_outputs=v)  #! (curved,) = torch.autograd.grad(slope, x)  # E: shape
    return curved


# run: hessian_times(randn(3, 3), randn(3), randn(3))
