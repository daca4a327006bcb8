import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class Causal(nn.Module):
    def __init__(self, vocab: int, dim: int, heads: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        layer = nn.TransformerEncoderLayer(dim, heads, 4 * dim, batch_first=True)
        self.blocks = nn.TransformerEncoder(layer, 2)
        self.head = nn.Linear(dim, vocab)  #! self.head = nn.Linear(4 * dim, vocab)

    def forward(self, tokens: Int[Tensor, "b t"]) -> Float[Tensor, "b t vocab"]:
        t = tokens.shape[1]
        ahead = torch.ones(t, t, dtype=torch.bool).triu(1)
        return self.head(self.blocks(self.embed(tokens), mask=ahead))  # E: shape


# run: Causal(9, 8, 2)(randint(0, 9, (2, 5)))
