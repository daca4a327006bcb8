from jaxtyping import Float, Int
from torch import Tensor, nn


class Translator(nn.Module):
    def __init__(self, vocab: int, d: int = 32) -> None:
        super().__init__()
        self.emb = nn.Embedding(vocab, d, padding_idx=0)
        self.net = nn.Transformer(d, 4, 1, 1, 64, batch_first=True)
        self.out = nn.Linear(d, vocab)

    def forward(self, src: Int[Tensor, "b s"], tgt: Int[Tensor, "b t"]) -> Float[Tensor, "b t vocab"]:
        mask = self.net.generate_square_subsequent_mask(tgt.size(1))  #! mask = self.net.generate_square_subsequent_mask(src.size(1))
        return self.out(self.net(self.emb(src), self.emb(tgt), tgt_mask=mask))  # E: shape


# run: Translator(11)(randint(1, 11, (3, 6)), randint(1, 11, (3, 4)))
