from jaxtyping import Float, Int
from torch import Tensor, nn


class Bigram(nn.Module):
    def __init__(self, vocab: int, d: int):
        super().__init__()
        self.embed = nn.Embedding(vocab, d)
        self.head = nn.Linear(d, vocab)

    def forward(self, ids: Int[Tensor, "b t"]) -> Float[Tensor, "b t"]:
        logits = self.head(self.embed(ids))
        return logits.logsumexp(-1)  #! return logits.logsumexp(1)  # E: shape

    def greedy(self, ids: Int[Tensor, "b t"]) -> Int[Tensor, "b t"]:
        return self.head(self.embed(ids)).argmax(-1)


# run: Bigram(7, 4)(randint(0, 7, (2, 3)))
