import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class Decoder(nn.Module):
    def __init__(self, vocab: int, h: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocab, h)
        self.cell = nn.GRUCell(h, h)
        self.head = nn.Linear(h, vocab)

    def forward(
        self, target: Int[Tensor, "batch length"], state: Float[Tensor, "batch h"], force: bool
    ) -> Float[Tensor, "batch length vocab"]:
        token = target[:, 0]
        outputs = []
        for t in range(target.shape[1]):
            state = self.cell(self.embed(token), state)  # E: shape
            outputs.append(self.head(state))
            if force:
                token = target[:, t]  #! token = target[t]
            else:
                token = outputs[-1].argmax(dim=-1)
        return torch.stack(outputs, dim=1)


# run: Decoder(9, 6)(torch.randint(0, 9, (4, 5)), torch.randn(4, 6), True)
