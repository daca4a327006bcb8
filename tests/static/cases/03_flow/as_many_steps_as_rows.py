import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class Decoder(nn.Module):
    def __init__(self, vocab: int, hidden: int):
        super().__init__()
        self.vocab = vocab
        self.embed = nn.Embedding(vocab, hidden)
        self.out = nn.Linear(hidden, vocab)

    def forward(self, tokens: Int[Tensor, "b t"]) -> Float[Tensor, "b t vocab"]:
        logits = []
        for i in range(tokens.shape[1]):  #! for i in range(tokens.shape[0]):
            logits.append(self.out(self.embed(tokens[:, i])))
        return torch.stack(logits, dim=1)  # E: shape


# run: Decoder(9, 4)(torch.randint(0, 9, (2, 5)))
