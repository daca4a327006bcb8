from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor


@dataclass
class Gaussian:
    mean: Float[Tensor, "batch dim"]
    log_var: Float[Tensor, "batch dim"]

    def sample(self) -> Float[Tensor, "batch dim"]:
        return self.mean + torch.randn_like(self.mean) * (0.5 * self.log_var).exp()

    def kl(self) -> Float[Tensor, "batch"]:
        inner = self.mean.square() + self.log_var.exp() - self.log_var - 1
        return 0.5 * inner.sum(-1)  #! return 0.5 * inner  # E: shape


def test(g: Gaussian) -> Float[Tensor, ""]:
    return g.kl().mean()


# run: test(Gaussian(randn(3, 5), randn(3, 5)))
