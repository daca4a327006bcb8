from types import SimpleNamespace

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

cfg = SimpleNamespace(d_model=32, heads=4, vocab=100, max_len=64)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.emb = nn.Embedding(cfg.vocab, cfg.d_model)
        layer = nn.TransformerEncoderLayer(cfg.d_model, cfg.heads, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.fc = nn.Linear(cfg.d_model, cfg.vocab)  #! self.fc = nn.Linear(cfg.max_len, cfg.vocab)

    def forward(self, ids: Int[Tensor, "b t"]) -> Float[Tensor, "b t vocab"]:
        mask = nn.Transformer.generate_square_subsequent_mask(ids.size(1))
        return self.fc(self.encoder(self.emb(ids), mask=mask))  # E: shape


def main() -> None:
    print(Net()(torch.zeros(2, 8, dtype=torch.long)).shape)


if __name__ == "__main__":
    main()

# run: main()
