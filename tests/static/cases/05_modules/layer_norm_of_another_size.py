from jaxtyping import Float
from torch import Tensor, nn


class Block(nn.Module):
    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(d_model)  #! self.norm = nn.LayerNorm(d_ff)
        self.up = nn.Linear(d_model, d_ff)
        self.down = nn.Linear(d_ff, d_model)

    def forward(self, x: Float[Tensor, "batch seq d_model"]) -> Float[Tensor, "batch seq d_model"]:
        h = self.norm(x)  # E: shape
        return x + self.down(self.up(h).relu())


# run: Block(3, 5)(randn(2, 7, 3))
