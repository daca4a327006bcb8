import torch
from jaxtyping import Float
from torch import Tensor, nn


class Pyramid(nn.Module):
    def __init__(self, widths: tuple[int, ...] = (3, 16, 32)) -> None:
        super().__init__()
        pairs = zip(widths[:-1], widths[1:], strict=True)
        self.stages = nn.ModuleList(nn.Conv2d(a, b, 3, stride=2, padding=1) for a, b in pairs)
        self.head = nn.Linear(widths[-1], 5)

    def forward(self, x: Float[Tensor, "b 3 h w"]) -> Float[Tensor, "b 5"]:
        for stage in self.stages:
            x = torch.relu(stage(x))
        return self.head(x.mean(dim=(2, 3)))  #! return self.head(x.mean(dim=(1, 2)))  # E: shape


# run: Pyramid()(torch.randn(2, 3, 16, 24))
