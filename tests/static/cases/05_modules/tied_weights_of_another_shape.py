from jaxtyping import Float, Int
from torch import Tensor, nn


class Decoder(nn.Module):
    def __init__(self, vocab_size: int, dim: int) -> None:
        super().__init__()
        self.tok = nn.Embedding(vocab_size, dim)
        self.out = nn.Linear(dim, vocab_size, bias=False)  #! self.out = nn.Linear(vocab_size, dim, bias=False)

    def forward(self, ids: Int[Tensor, "b s"]) -> Float[Tensor, "b s vocab_size"]:
        return self.out(self.tok(ids))  # E: shape


# run: Decoder(11, 3)(randint(0, 11, (2, 5)))
