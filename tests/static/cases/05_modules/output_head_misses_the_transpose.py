from jaxtyping import Float, Int
from torch import Tensor, nn


class LanguageModel(nn.Module):
    def __init__(self, vocab: int, d_model: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocab, d_model)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, tokens: Int[Tensor, "batch seq"]) -> Float[Tensor, "batch seq vocab"]:
        x = self.norm(self.embed(tokens))
        return x @ self.embed.weight.T  #! return x @ self.embed.weight  # E: shape


# run: LanguageModel(11, 3)(randint(0, 11, (2, 5)))
