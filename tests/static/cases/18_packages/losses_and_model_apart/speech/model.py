from jaxtyping import Float
from torch import Tensor, nn


class Recogniser(nn.Module):
    def __init__(self, n_mels: int, vocab: int) -> None:
        super().__init__()
        self.rnn = nn.GRU(n_mels, 128, batch_first=True)
        self.out = nn.Linear(128, vocab)

    def forward(self, mel: Float[Tensor, "batch time n_mels"]) -> Float[Tensor, "batch time vocab"]:
        h, _ = self.rnn(mel)
        return self.out(h).log_softmax(-1)
