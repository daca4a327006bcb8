from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class Stage(nn.Module):
    def __init__(self, layers: list[nn.Module]) -> None:
        super().__init__()
        self.layers = nn.Sequential(*layers)

    def forward(self, x: Float[Tensor, "micro seq d"]) -> Float[Tensor, "micro seq d"]:
        return x + self.layers(x)


class GPipe:
    def __init__(self, stages: list[Stage], micro_batches: int) -> None:
        self.stages, self.m = stages, micro_batches

    def run(self, x: Float[Tensor, "batch seq d"]) -> Float[Tensor, "batch seq d"]:
        pending = list(x.chunk(self.m))
        for clock in range(self.m + len(self.stages) - 1):
            for s in reversed(range(len(self.stages))):
                i = clock - s
                if 0 <= i < self.m:
                    pending[i] = self.stages[s](pending[i])
        return torch.cat(pending, dim=0)  #! return torch.stack(pending, dim=0)  # E: shape

    def step(self, x: Float[Tensor, "batch seq d"], y: Int[Tensor, "batch seq"], head: nn.Linear, loss: Callable[[Tensor, Tensor], Tensor]) -> Float[Tensor, ""]:
        return loss(head(self.run(x)).flatten(0, 1), y.flatten())


def main() -> None:
    stages = [Stage([nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8)]) for _ in range(3)]
    GPipe(stages, 4).step(torch.randn(8, 5, 8), torch.randint(0, 11, (8, 5)), nn.Linear(8, 11), nn.CrossEntropyLoss())


# run: main()
