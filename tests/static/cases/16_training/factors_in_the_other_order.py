import torch
from jaxtyping import Float
from torch import Tensor


class Adafactor:
    def __init__(self, p: Float[Tensor, "rows cols"]) -> None:
        self.row = torch.ones(p.shape[0])
        self.col = torch.ones(p.shape[1])

    def step(self, grad: Float[Tensor, "rows cols"]) -> Float[Tensor, "rows cols"]:
        self.row = 0.9 * self.row + 0.1 * grad.square().mean(dim=1)
        self.col = 0.9 * self.col + 0.1 * grad.square().mean(dim=0)
        return grad / torch.outer(self.row, self.col).sqrt()  #! return grad / torch.outer(self.col, self.row).sqrt()


def train() -> None:
    p = torch.rand(3, 5)
    optimizer = Adafactor(p)
    optimizer.step(torch.rand(3, 5))  # E: shape


# run: train()
