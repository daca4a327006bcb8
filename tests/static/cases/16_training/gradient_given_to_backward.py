import torch
from jaxtyping import Float
from torch import Tensor


def pull_back(
    x: Float[Tensor, "b d"], w: Float[Tensor, "d k"], cotangent: Float[Tensor, "b k"]
) -> Float[Tensor, "d k"]:
    w = w.detach().requires_grad_()
    y = x @ w
    y.backward(cotangent)  #! y.backward(cotangent.sum(-1))  # E: shape
    assert w.grad is not None
    return torch.clone(w.grad)


# run: pull_back(randn(3, 5), randn(5, 7), randn(3, 7))
