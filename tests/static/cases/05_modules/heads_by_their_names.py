import torch
from jaxtyping import Float
from torch import Tensor, nn


class Detector(nn.Module):
    def __init__(self, dim: int, classes: int) -> None:
        super().__init__()
        self.heads = nn.ModuleDict({"logits": nn.Linear(dim, classes), "boxes": nn.Linear(dim, 4)})
        self.norms = nn.ModuleDict()
        for name in self.heads:
            self.norms[name] = nn.LayerNorm(dim)

    def forward(self, x: Float[Tensor, "b dim"]) -> tuple[Float[Tensor, "b classes"], Float[Tensor, "b 4"]]:
        logits = self.heads["logits"](self.norms["logits"](x))
        boxes = self.heads["boxes"](self.norms["boxes"](x))  #! boxes = self.heads["box"](self.norms["boxes"](x))  # E: attribute
        return logits, boxes


# run: Detector(5, 3)(randn(2, 5))
