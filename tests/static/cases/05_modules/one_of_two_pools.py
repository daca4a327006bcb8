import torch
from torch import Tensor, nn


class Stem(nn.Module):
    def __init__(self, pool: nn.Module):
        super().__init__()
        self.pool = pool

    def forward(self, x: Tensor) -> Tensor:
        return torch.flatten(self.pool(x), 1)


def heads() -> tuple[Tensor, Tensor]:
    x = torch.rand(2, 3, 12, 12)
    fine, coarse = Stem(nn.AvgPool2d(2)), Stem(nn.AvgPool2d(3))
    from_fine, from_coarse = nn.Linear(108, 5), nn.Linear(48, 5)
    wanted = from_coarse(coarse(x))  #! wanted = from_fine(coarse(x))  # E: shape
    return from_fine(fine(x)), wanted


# run: heads()
