import torch
from jaxtyping import Float
from torch import Tensor


class Cache:
    def __init__(self, batch: int, heads: int, size: int, dim: int) -> None:
        self.k = torch.zeros(batch, heads, size, dim)
        self.length = 0

    def append(self, k: Float[Tensor, "b h t d"]) -> None:
        t = k.shape[2]
        self.k[:, :, self.length : self.length + t] = k
        self.length += t


def fill() -> Cache:
    cache = Cache(3, 2, 16, 4)  #! cache = Cache(3, 16, 2, 4)
    cache.append(torch.rand(3, 2, 5, 4))  # E: shape
    return cache


# run: fill()
