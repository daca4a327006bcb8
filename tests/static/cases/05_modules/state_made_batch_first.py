import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

State = tuple[Float[Tensor, "layers batch hidden"], Float[Tensor, "layers batch hidden"]]


class CharRNN(nn.Module):
    def __init__(self, vocab: int, hidden: int, layers: int = 2) -> None:
        super().__init__()
        self.hidden, self.layers = hidden, layers
        self.embed = nn.Embedding(vocab, hidden)
        self.lstm = nn.LSTM(hidden, hidden, layers, batch_first=True)
        self.out = nn.Linear(hidden, vocab)

    def start(self, batch: int) -> State:
        zeros = torch.zeros(self.layers, batch, self.hidden)  #! zeros = torch.zeros(batch, self.layers, self.hidden)
        return zeros, zeros.clone()  # E: shape

    def forward(self, tokens: Int[Tensor, "batch seq"]) -> Float[Tensor, "batch seq vocab"]:
        y, _ = self.lstm(self.embed(tokens), self.start(tokens.shape[0]))  # e: shape
        return self.out(y)


# run: CharRNN(9, 4)(randint(0, 9, (3, 5)))
