import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class Denoiser(nn.Module):
    def __init__(self, steps: int, d_noise: int) -> None:
        super().__init__()
        self.levels = nn.Embedding(steps, d_noise)

    def embed(self, t: Int[Tensor, "batch"]) -> Float[Tensor, "batch d_noise"]:
        return self.levels(t - 1)  #! return self.levels(t / 10)  # E: dtype


# run: Denoiser(10, 4).embed(torch.tensor([1, 2]))
