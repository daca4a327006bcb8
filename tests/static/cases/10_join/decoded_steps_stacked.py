import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class Decoder(nn.Module):
    def __init__(self, vocab: int, dim: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.cell = nn.GRUCell(dim, dim)
        self.out = nn.Linear(dim, vocab)

    def forward(self, tokens: Int[Tensor, "b t"], h: Float[Tensor, "b dim"]) -> Float[Tensor, "b t-1 vocab"]:
        logits = []
        for i in range(tokens.shape[1] - 1):
            h = self.cell(self.embed(tokens[:, i]), h)
            logits.append(self.out(h))
        return torch.stack(logits, dim=1)  #! return torch.stack(logits)  # E: shape


# run: Decoder(7, 4)(randint(0, 7, (2, 5)), randn(2, 4))
