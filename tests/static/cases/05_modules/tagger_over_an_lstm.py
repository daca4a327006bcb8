import torch
from jaxtyping import Float
from torch import Tensor, nn


class Tagger(nn.Module):
    def __init__(self, d_in: int, hidden: int, tags: int) -> None:
        super().__init__()
        self.rnn = nn.LSTM(d_in, hidden, batch_first=True)
        self.head = nn.Linear(hidden, tags)

    def forward(self, x: Float[Tensor, "b t d_in"]) -> Float[Tensor, "b t tags"]:
        h, _ = self.rnn(x)  #! h = self.rnn(x)
        return self.head(h)  # E: shape


# run: Tagger(3, 5, 2)(randn(4, 6, 3))
