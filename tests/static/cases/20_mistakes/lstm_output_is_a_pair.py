import torch
from jaxtyping import Float
from torch import Tensor, nn


class Tagger(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(50, 64, batch_first=True, bidirectional=True)
        self.out = nn.Linear(128, 9)  #! self.out = nn.Linear(64, 9)

    def forward(self, words: Float[Tensor, "batch seq 50"]) -> Float[Tensor, "batch seq 9"]:
        states, _ = self.lstm(words)
        return self.out(states)  # E: shape


# run: Tagger()(randn(2, 5, 50))
