"""What is assigned from here is an attribute there."""

import torch
from decoder import Decoder, Scorer
from jaxtyping import Float
from torch import Tensor, nn


class Sharp(Scorer):
    temperature = 0.5


class Detector(nn.Module):
    def __init__(self, d_model: int, layers: int) -> None:
        super().__init__()
        self.decoder = Decoder(d_model, layers)
        self.decoder.box_head = nn.Linear(d_model, 4)
        self.scorer = Sharp()

    def forward(self, x: Float[Tensor, "batch n d_model"]) -> Float[Tensor, "layers batch n 4"]:
        return self.scorer(torch.stack(self.decoder(x)))


# run: Detector(8, 3)(randn(2, 5, 8))
