from jaxtyping import Float
from torch import Tensor, nn


class Tagger(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(32, 64, batch_first=True, bidirectional=True)
        self.head = nn.Linear(128, 9)  #! self.head = nn.Linear(64, 9)

    def forward(self, x: Float[Tensor, "b t 32"]) -> Float[Tensor, "b t 9"]:
        hidden, _ = self.lstm(x)
        return self.head(hidden)  # E: shape


# run: Tagger()(randn(2, 5, 32))
