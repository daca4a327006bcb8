import torch
from jaxtyping import Float
from torch import Tensor


class Codebook:
    def __init__(self, size: int, dim: int) -> None:
        self.size = size
        self.dim = dim
        self.codes = torch.randn(size, dim)

    def distances(self, x: Float[Tensor, "n {self.dim}"]) -> Float[Tensor, "n {self.size}"]:
        return torch.cdist(x, self.codes)  #! return torch.cdist(self.codes, x)  # E: shape


# run: Codebook(7, 3).distances(randn(5, 3))
