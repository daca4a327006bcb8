import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn


class Pool(nn.Module):
    def __init__(self, vocab, width, out):
        super().__init__()
        self.embed, self.project = nn.Embedding(vocab, width), nn.Linear(width, out)

    def forward(self, tokens: Int[Tensor, "b t"], mask: Bool[Tensor, "b t"]) -> Float[Tensor, "b out"]:
        weights = mask.unsqueeze(-1).float()  #! weights = mask.float()
        total = (self.embed(tokens) * weights).sum(1)  # E: shape
        return self.project(total / weights.sum(1).clamp(min=1))


def main():
    tokens = torch.nn.utils.rnn.pad_sequence([torch.randint(1, 9, (n,)) for n in (3, 5, 2, 4)], batch_first=True)
    return Pool(9, 16, 6)(tokens, tokens != 0)


# run: main()
