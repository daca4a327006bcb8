import torch
from jaxtyping import Float, Int
from torch import Tensor


class Cache:
    def __init__(self, batch: int, heads: int, size: int, dim: int) -> None:
        self.k = torch.zeros(batch, heads, size, dim)
        self.length = 0

    def append(self, k: Float[Tensor, "b h t d"]) -> Float[Tensor, "b h m d"]:
        t = k.shape[2]
        self.k[:, :, self.length : self.length + t] = k  #! self.k[:, self.length : self.length + t] = k  # E: shape
        self.length += t
        return self.k[:, :, : self.length]

    def reorder(self, rows: Int[Tensor, "n"]) -> None:
        self.k = self.k[rows]


def step(cache: Cache) -> None:
    cache.append(torch.rand(3, 2, 5, 4))
    cache.reorder(torch.tensor([0, 2]))
    cache.append(torch.rand(2, 2, 1, 4))


# run: step(Cache(3, 2, 16, 4))
