from jaxtyping import Float
from torch import Tensor, nn


class FeedForward(nn.Module):
    def __init__(self, dim: int, hidden: int | None = None, dropout: float = 0.0) -> None:
        super().__init__()
        hidden = hidden or 4 * dim
        self.up = nn.Linear(dim, hidden)
        self.down = nn.Linear(hidden, dim)  #! self.down = nn.Linear(dim, hidden)
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Float[Tensor, "batch seq dim"]) -> Float[Tensor, "batch seq dim"]:
        y = nn.functional.gelu(self.up(x))
        return self.drop(self.down(y))  #! return self.drop(self.down(y))  # E: shape


# run: FeedForward(6)(randn(2, 3, 6)), FeedForward(6, 5)(randn(2, 3, 6))
