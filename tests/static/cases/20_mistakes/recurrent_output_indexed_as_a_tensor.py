from jaxtyping import Float
from torch import Tensor, nn


class LastState(nn.Module):
    def __init__(self, d: int, hidden: int) -> None:
        super().__init__()
        self.rnn = nn.GRU(d, hidden, batch_first=True)

    def forward(self, x: Float[Tensor, "b s d"]) -> Float[Tensor, "b hidden"]:
        out, _ = self.rnn(x)  #! out = self.rnn(x)
        return out[:, -1]  # E: shape


# run: LastState(4, 5)(randn(2, 3, 4))
