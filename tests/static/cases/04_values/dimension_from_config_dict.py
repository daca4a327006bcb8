import torch
from jaxtyping import Float
from torch import Tensor, nn

CONFIG = {"hidden": 256, "heads": 4, "classes": 10}


class Head(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.out = nn.Linear(CONFIG["hidden"], CONFIG["classes"])

    def forward(self, x: Float[Tensor, "b 256"]) -> Float[Tensor, "b 10"]:
        return self.out(x)  #! return self.out(x.view(-1, CONFIG["heads"], 64))  # E: shape


# run: Head()(randn(3, 256))
