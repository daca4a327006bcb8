"""Where all other arguments agree on an axis, the first one that names it is the wrong one."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class Decoder(nn.Module):
    def __init__(self, vocab: int, hidden: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocab, hidden)

    def step(
        self,
        token: Int[Tensor, "batch"],
        state: Float[Tensor, "batch hidden"],
        memory: Float[Tensor, "batch src hidden"],
    ) -> Float[Tensor, "batch hidden"]:
        return self.embed(token) + state + memory.sum(1)

    def forward(
        self, tokens: Int[Tensor, "batch length"], memory: Float[Tensor, "batch src hidden"]
    ) -> Float[Tensor, "batch hidden"]:
        state = memory.mean(1)
        for t in range(tokens.shape[1]):
            state = self.step(
                tokens[:, t],  #! tokens[t],  # E: shape
                state,
                memory,
            )
        return state


# run: Decoder(7, 5)(randint(0, 7, (3, 4)), randn(3, 6, 5))
