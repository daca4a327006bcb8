import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class Quantiser(nn.Module):
    def __init__(self, n_codes: int, dim: int):
        super().__init__()
        self.codebook = nn.Embedding(n_codes, dim)

    def forward(self, z: Float[Tensor, "n dim"]) -> tuple[Float[Tensor, "n dim"], Int[Tensor, "n"]]:
        distance = torch.cdist(z, self.codebook.weight)
        codes = distance.argmin(dim=1)  #! codes = distance.argmin(dim=0)
        nearest = self.codebook(codes)
        quantised = z + (nearest - z).detach()  # E: shape
        return quantised, codes  # e: shape


# run: Quantiser(7, 4)(randn(3, 4))
