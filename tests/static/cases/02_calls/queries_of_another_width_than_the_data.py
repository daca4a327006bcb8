import torch
from jaxtyping import Float
from torch import Tensor


class Process:
    def __init__(self, x: Float[Tensor, "n d"], y: Float[Tensor, "n"], noise: float = 0.1):
        self.x = x
        k = torch.cdist(x, x).neg().exp() + noise * torch.eye(len(x))
        self.alpha = torch.linalg.solve(k, y)

    def predict(self, z: Float[Tensor, "m d"]) -> Float[Tensor, "m"]:
        return torch.cdist(z, self.x).neg().exp() @ self.alpha


def main():
    process = Process(torch.rand(9, 2), torch.randn(9))
    return process.predict(torch.rand(4, 2))  #! return process.predict(torch.rand(2, 4))  # E: shape


# run: main()
