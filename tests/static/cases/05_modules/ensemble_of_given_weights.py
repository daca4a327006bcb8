"""The constructor is given a list of matrices, and the method goes through them."""

import torch
from jaxtyping import Float
from torch import Tensor


class Ensemble:
    def __init__(self, weights: list[Float[Tensor, "features classes"]]) -> None:
        self.weights = weights

    def __call__(self, x: Float[Tensor, "batch features"]) -> Float[Tensor, "batch classes"]:
        scores = [x @ w for w in self.weights]  #! scores = [x @ w.T for w in self.weights]  # E: shape
        return torch.stack(scores).mean(0)


# run: Ensemble([torch.rand(3, 2), torch.rand(3, 2)])(torch.rand(4, 3))
