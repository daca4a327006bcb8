import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor
from torch.autograd.functional import hessian, jacobian


def nll(beta: Float[Tensor, "p"], x: Float[Tensor, "n p"], y: Float[Tensor, "n"]) -> Float[Tensor, ""]:
    return F.binary_cross_entropy_with_logits(x @ beta, y, reduction="sum")


def standard_errors(beta: Float[Tensor, "p"], x: Float[Tensor, "n p"], y: Float[Tensor, "n"]) -> Float[Tensor, "p"]:
    curvature = hessian(lambda b: nll(b, x, y), beta)
    return torch.linalg.inv(curvature).diagonal().sqrt()  #! return torch.linalg.inv(curvature).sqrt()  # E: shape


def spread(beta: Float[Tensor, "p"], cov: Float[Tensor, "p p"], x: Float[Tensor, "n p"]) -> Float[Tensor, "n"]:
    slopes = jacobian(lambda b: torch.sigmoid(x @ b), beta)
    return torch.einsum("np,pq,nq->n", slopes, cov, slopes).sqrt()


# run: b, x = randn(3), randn(20, 3)
# run: standard_errors(b, x, (randn(20) > 0).float()), spread(b, torch.eye(3), x)
