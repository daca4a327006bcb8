import torch
from jaxtyping import Float
from torch import Tensor, nn


class EMA:
    """Swap in averaged weights inside a with block."""

    def __init__(self, weight: Float[Tensor, "o i"], decay: float) -> None:
        self.live = weight
        self.avg = weight.clone()
        self.decay = decay

    def step(self, new: Float[Tensor, "o i"]) -> None:
        self.avg.mul_(self.decay).add_(new, alpha=1 - self.decay)  #! self.avg.mul_(self.decay).add_(new.T, alpha=1 - self.decay)  # E: shape

    def __enter__(self) -> Float[Tensor, "o i"]:
        return self.avg

    def __exit__(self, *exc: object) -> None:
        return None


def evaluate(ema: EMA, x: Float[Tensor, "b i"]) -> Float[Tensor, "b o"]:
    with ema as w:
        return x @ w.T


# run: e = EMA(randn(3,4), 0.9)
# run: e.step(randn(3,4))
# run: evaluate(e, randn(2,4))
