import torch
from jaxtyping import Float
from torch import Tensor


def penalty(
    score: Float[Tensor, "b"], x: Float[Tensor, "b c h w"]
) -> Float[Tensor, ""]:
    (grad,) = torch.autograd.grad(score.sum(), x, create_graph=True)
    norms = grad.flatten(1).norm(dim=1)
    return ((norms - 1) ** 2).mean()  #! return (norms - 1) ** 2  # E: shape


# run: x = randn(2, 3, 5, 7, requires_grad=True)
# run: penalty(x.sum((1, 2, 3)), x)
