from __future__ import annotations
import torch
from jaxtyping import Float
from torch import Tensor


class LinOp:
    def __init__(self, mat: Float[Tensor, "o i"]) -> None:
        self.mat = mat

    def __matmul__(self, x: Float[Tensor, "i k"]) -> Float[Tensor, "o k"]:
        return self.mat @ x  #! return self.mat.T @ x  # E: shape

    def __len__(self) -> int:
        return self.mat.shape[0]

    @property
    def T(self) -> LinOp:
        return LinOp(self.mat.T)


def normal(op: LinOp, x: Float[Tensor, "i k"]) -> Float[Tensor, "i k"]:
    return op.T @ (op @ x)


# run: normal(LinOp(randn(3,4)), randn(4,2))
