from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor


@dataclass
class PCA:
    mean: Float[Tensor, "d"]
    basis: Float[Tensor, "d k"]

    @classmethod
    def fit(cls, x: Float[Tensor, "n d"], k: int) -> PCA:
        mean = x.mean(0)
        _, _, v = torch.pca_lowrank(x - mean, q=k)
        return cls(mean, v)  #! return cls(x.mean(1, keepdim=True), v)  # E: shape

    def transform(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n k"]:
        return (x - self.mean) @ self.basis


# run: PCA.fit(randn(11, 5), 3).transform(randn(7, 5))
