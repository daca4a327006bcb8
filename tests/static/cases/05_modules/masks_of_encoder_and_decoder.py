import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn


class Translator(nn.Module):
    def __init__(self, vocab: int, dim: int, heads: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(dim, heads, 2 * dim, batch_first=True), 2)
        self.decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(dim, heads, 2 * dim, batch_first=True), 2)
        self.head = nn.Linear(dim, vocab)

    def forward(
        self, source: Int[Tensor, "b s"], target: Int[Tensor, "b t"], pad: Bool[Tensor, "b s"]
    ) -> Float[Tensor, "b t vocab"]:
        memory = self.encoder(self.embed(source), mask=None, src_key_padding_mask=pad)
        steps = target.shape[1]  #! steps = source.shape[1]
        ahead = nn.Transformer.generate_square_subsequent_mask(steps)
        h = self.decoder(self.embed(target), memory, tgt_mask=ahead, memory_key_padding_mask=pad)  # E: shape
        return self.head(h)


# run: Translator(9, 8, 2)(randint(0, 9, (2, 5)), randint(0, 9, (2, 3)), torch.zeros(2, 5, dtype=torch.bool))
