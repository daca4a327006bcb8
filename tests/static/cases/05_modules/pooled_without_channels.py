import torch
from jaxtyping import Float
from torch import Tensor, nn


class Head(nn.Module):
    def __init__(self, width: int, classes: int) -> None:
        super().__init__()
        self.pool = nn.AdaptiveAvgPool1d(8)
        self.out = nn.Linear(8 * width, classes)

    def forward(self, x: Float[Tensor, "b seq width"]) -> Float[Tensor, "b classes"]:
        kept = x.transpose(1, 2)  #! kept = x.mean(-1)[:, 0]
        return self.out(self.pool(kept).flatten(1))  # E: shape


# run: Head(4, 3)(torch.zeros(2, 16, 4))
