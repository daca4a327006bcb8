import torch
from functools import cached_property
from jaxtyping import Float
from torch import Tensor


class Mahalanobis:
    def __init__(self, data: Float[Tensor, "n d"]) -> None:
        self.data = data

    @cached_property
    def precision(self) -> Float[Tensor, "d d"]:
        return torch.linalg.inv(torch.cov(self.data.T))  #! return torch.linalg.inv(torch.cov(self.data))

    def __call__(self, q: Float[Tensor, "q d"]) -> Float[Tensor, "q"]:
        diff = q - self.data.mean(0)
        return torch.einsum("qi,ij,qj->q", diff, self.precision, diff)  # E: shape


# run: Mahalanobis(randn(9,3))(randn(4,3))
