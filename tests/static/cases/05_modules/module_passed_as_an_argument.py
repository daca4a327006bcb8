import torch
from jaxtyping import Float
from torch import Tensor, nn


class Scorer(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.w = nn.Linear(dim, 1)

    def forward(self, x: Float[Tensor, "b n dim"]) -> Float[Tensor, "b n"]:
        return self.w(x).squeeze(-1)


def attention_pool(scorer: Scorer, x: Float[Tensor, "b n d"]) -> Float[Tensor, "b d"]:
    weights = scorer(x).softmax(1).unsqueeze(1)  #! weights = scorer(x).softmax(1).unsqueeze(-1)
    return (weights @ x).squeeze(1)  # E: shape


# run: attention_pool(Scorer(5), randn(2, 3, 5))
