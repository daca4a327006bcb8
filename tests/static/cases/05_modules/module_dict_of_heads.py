from jaxtyping import Float
from torch import Tensor, nn


class MultiTask(nn.Module):
    def __init__(self, d: int) -> None:
        super().__init__()
        self.trunk = nn.Linear(d, 64)
        self.heads = nn.ModuleDict({"depth": nn.Linear(64, 1), "normal": nn.Linear(64, 3)})

    def forward(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b 3"]:
        h = self.trunk(x).relu()
        return self.heads["normal"](h)  #! return self.heads["depth"](h)  # E: shape


# run: MultiTask(5)(randn(2, 5))
