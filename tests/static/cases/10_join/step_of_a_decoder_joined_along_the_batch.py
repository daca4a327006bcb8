import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class Decoder(nn.Module):
    def __init__(self, vocab: int, embed: int, hidden: int) -> None:
        super().__init__()
        self.hidden = hidden
        self.embedding = nn.Embedding(vocab, embed)
        self.cell = nn.GRUCell(embed + hidden, hidden)

    def forward(self, target: Int[Tensor, "b tgt"]) -> Float[Tensor, "b hidden"]:
        last = torch.zeros(len(target), self.hidden)
        for step in torch.split(self.embedding(target), 1, dim=1):
            step = step.squeeze(1)  #! step = step.squeeze(0)
            last = self.cell(torch.cat((step, last), dim=1), last)  # E: shape
        return last


# run: Decoder(11, 5, 6)(torch.randint(0, 11, (3, 4)))
