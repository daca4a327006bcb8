from jaxtyping import Float
from torch import Tensor, nn


class Encoder(nn.Module):
    def __init__(self, d_in: int, d_hidden: int) -> None:
        super().__init__()
        self.gru = nn.GRU(d_in, d_hidden, batch_first=True)

    def forward(self, x: Float[Tensor, "batch time d_in"]) -> Float[Tensor, "batch d_hidden"]:
        _, last = self.gru(x)
        return last[0]  #! return last  # E: shape


# run: Encoder(3, 5)(randn(2, 7, 3))
