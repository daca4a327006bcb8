import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class Embeddings(nn.Module):
    def __init__(self, vocab: int, max_len: int, dim: int) -> None:
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.pos = nn.Embedding(max_len, dim)

    def forward(self, ids: Int[Tensor, "b s"]) -> Float[Tensor, "b s dim"]:
        positions = torch.arange(ids.shape[1])  #! positions = torch.arange(ids.shape[0])
        return self.tok(ids) + self.pos(positions)  # E: shape


# run: Embeddings(11, 13, 3)(randint(0, 11, (2, 5)))
