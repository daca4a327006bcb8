import torch
from jaxtyping import Float
from torch import Tensor


class Smoother:
    def __init__(self, tasks: int, decay: float = 0.9) -> None:
        self.value = torch.zeros(tasks)
        self.decay = decay

    def update(self, losses: Float[Tensor, "tasks"]) -> Float[Tensor, "tasks"]:
        self.value = self.decay * self.value + (1 - self.decay) * losses
        return self.value / self.value.sum()


def weigh(smoother: Smoother, losses: Float[Tensor, "batch 4"]) -> Float[Tensor, ""]:
    weights = smoother.update(losses.mean(0))  #! weights = smoother.update(losses)  # E: shape
    return (weights * losses.mean(0)).sum()


# run: weigh(Smoother(4), randn(3, 4))
