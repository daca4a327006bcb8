"""What a call makes in one turn of a loop has other sizes in the next."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor


@dataclass
class Fitted:
    mean: Float[Tensor, "d"]
    components: Float[Tensor, "k d"]

    def inverse(self, z: Float[Tensor, "n k"]) -> Float[Tensor, "n d"]:
        return z @ self.components + self.mean


FITTED: list[Fitted] = []


def fit(x: Float[Tensor, "n d"]) -> Fitted:
    FITTED.append(Fitted(x.mean(0), torch.linalg.svd(x, full_matrices=False)[2][:2]))
    return FITTED.pop()


def residuals() -> list[Float[Tensor, "n d"]]:
    found = []
    for n, d in [(9, 5), (4, 7)]:
        x = torch.randn(n, d)
        fitted = fit(x)
        back = fitted.inverse(torch.randn(n, 2))
        found.append(x - back)  #! found.append(x.T @ back.T)  # E: shape
    return found


# run: residuals()
