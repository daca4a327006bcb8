import torch
from jaxtyping import Float
from torch import Tensor


class Kalman:
    __slots__ = ("mean", "cov")

    def __init__(self, mean: Float[Tensor, "s"], cov: Float[Tensor, "s s"]) -> None:
        self.mean = mean
        self.cov = cov

    def predict(self, f: Float[Tensor, "s s"], q: Float[Tensor, "s s"]) -> "Kalman":
        return Kalman(f @ self.mean, f @ self.cov @ f.T + q)

    def update(self, h: Float[Tensor, "o s"], r: Float[Tensor, "o o"], z: Float[Tensor, "o"]) -> "Kalman":
        s = h @ self.cov @ h.T + r
        k = self.cov @ h.T @ torch.linalg.inv(s)  #! k = self.cov @ h @ torch.linalg.inv(s)  # E: shape
        return Kalman(self.mean + k @ (z - h @ self.mean), self.cov - k @ h @ self.cov)


# run: Kalman(torch.zeros(3), torch.eye(3)).update(randn(2,3), torch.eye(2), randn(2))
