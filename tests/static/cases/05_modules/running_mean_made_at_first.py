import torch
from jaxtyping import Float
from torch import Tensor


class Normaliser:
    def __init__(self) -> None:
        self.mean: Tensor | None = None
        self.seen = 0

    def update(self, x: Float[Tensor, "b d"]) -> None:
        if self.mean is None:
            self.mean = torch.zeros(x.shape[1])  #! self.mean = torch.zeros(x.shape[0])
        delta = x.mean(0) - self.mean  #! delta = x.mean(0) - self.mean  # E: shape
        self.mean = self.mean + 0.1 * delta
        self.seen += len(x)

    def forward(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
        if self.mean is None:
            self.mean = torch.zeros(x.shape[1])
        return x - self.mean  #! return x - self.mean[:, None]  # E: shape


# run: Normaliser().update(randn(3, 5)), Normaliser().forward(randn(3, 5))
