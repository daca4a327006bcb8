from typing import TypedDict

import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn


class Batch(TypedDict):
    seen: Float[Tensor, "b seen"]
    returns: Float[Tensor, "b"]


class Critic(nn.Module):
    def __init__(self, seen: int):
        super().__init__()
        self.value = nn.Linear(seen, 1)

    def forward(self, x: Float[Tensor, "*b seen"]) -> Float[Tensor, "*b"]:
        return self.value(x).squeeze(-1)


def loss(critic: Critic, batch: Batch) -> Float[Tensor, ""]:
    value = critic(batch["seen"])
    return F.mse_loss(value, batch["returns"])  #! return F.mse_loss(value, batch["returns"].unsqueeze(-1))  # E: broadcast


# run: loss(Critic(3), {"seen": randn(5, 3), "returns": randn(5)})
# quiet: torch only warns
