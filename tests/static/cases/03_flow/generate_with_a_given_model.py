import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


def generate(model: nn.Module, ids: Int[Tensor, "b s"], n: int) -> Int[Tensor, "b t"]:
    steps = 0
    while steps < n:
        logits = model(ids)[:, -1]
        nxt = logits.argmax(-1, keepdim=True)  #! nxt = logits.argmax(-1)
        ids = torch.cat([ids, nxt], dim=1)  # E: shape
        steps += 1
    return ids


class Toy(nn.Module):
    def __init__(self, vocab: int):
        super().__init__()
        self.emb = nn.Embedding(vocab, vocab)

    def forward(self, ids: Int[Tensor, "b s"]) -> Float[Tensor, "b s v"]:
        return self.emb(ids)


out = generate(Toy(7), torch.zeros(2, 3, dtype=torch.long), 4)


# run: pass
