from jaxtyping import Float, Int
from torch import Tensor, nn


class Embed(nn.Module):
    def __init__(self, vocab: int, d_model: int) -> None:
        super().__init__()
        self.table = nn.Embedding(vocab, d_model)

    def forward(self, tokens: Int[Tensor, "batch seq"]) -> Float[Tensor, "batch seq d_model"]:
        return self.table(tokens)  #! return self.table(tokens.float())  # E: dtype


# run: Embed(10, 4)(randint(0, 10, (2, 3)))
