import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class Decoder(nn.Module):
    def __init__(self, vocab: int, embed: int, hidden: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab, embed)
        self.mix = nn.Linear(embed + hidden, hidden)

    def step(self, y: Float[Tensor, "b both"], state: Float[Tensor, "b hidden"]) -> Float[Tensor, "b hidden"]:
        return state + torch.tanh(self.mix(y))  # e: shape

    def forward(
        self, target: Int[Tensor, "b time"], state: Float[Tensor, "b hidden"]
    ) -> Float[Tensor, "b hidden"]:
        for y in self.embedding(target).unbind(1):
            both = torch.cat((y, state), dim=1)  #! both = y
            state = self.step(both, state)  # E: shape
        return state


# run: Decoder(11, 5, 6)(torch.randint(0, 11, (3, 4)), torch.zeros(3, 6))
