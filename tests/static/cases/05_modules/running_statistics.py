import torch
from jaxtyping import Float
from torch import Tensor, nn


class RunningNorm(nn.Module):
    def __init__(self, d: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(d))
        self.register_buffer("var", torch.ones(d))
        self.momentum = 0.1

    def forward(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
        if self.training:
            self.mean = (1 - self.momentum) * self.mean + self.momentum * x.mean(0)
            self.var = (1 - self.momentum) * self.var + self.momentum * x.var(0)
        return (x - self.mean) / self.var.sqrt()  #! return (x.T - self.mean) / self.var.sqrt()  # E: shape


class Average:
    def __init__(self, d: int) -> None:
        self.average = torch.zeros(d)
        self.steps = 0

    def reset(self) -> None:
        self.average = torch.zeros_like(self.average)

    def update(self, w: Float[Tensor, "d"]) -> None:
        self.steps += 1
        self.average = torch.lerp(self.average, w, 0.1)

    def debiased(self) -> Float[Tensor, "d"]:
        return self.average / (1 - 0.9**self.steps)  #! return self.average[:, None] / self.steps  # E: shape


class Leaky(nn.Module):
    """A state that grows to the batch it is given has no shape of its own."""

    def __init__(self, n: int) -> None:
        super().__init__()
        self.v = torch.zeros(n)

    def forward(self, x: Float[Tensor, "b n"]) -> Float[Tensor, "b n"]:
        self.v = 0.9 * self.v + x
        return self.v


def main() -> None:
    average = Average(3)
    average.update(torch.randn(3))
    average.debiased()
    Leaky(3)(torch.randn(2, 3))
    RunningNorm(3)(torch.randn(4, 3))


# run: main()
