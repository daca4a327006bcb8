import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class Codebook(nn.Module):
    def __init__(self, codes: int, dim: int):
        super().__init__()
        self.embed = nn.Embedding(codes, dim)

    def forward(self, z: Float[Tensor, "b s dim"]) -> Float[Tensor, "b s dim"]:
        distances = torch.cdist(z.flatten(0, 1), self.embed.weight)
        nearest = distances.min(1).indices.view(z.shape[:2])  #! nearest = distances.min(1).values.view(z.shape[:2])
        return self.embed(nearest)  # E: dtype


# run: Codebook(7, 4)(randn(2, 3, 4))
