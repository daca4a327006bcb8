import torch
from jaxtyping import Float
from torch import Tensor


class Cache:
    def __init__(self, batch: int, heads: int, size: int, dim: int) -> None:
        self.keys = torch.zeros(batch, heads, size, dim)
        self.filled = 0

    def update(self, k: Float[Tensor, "b h t d"]) -> Tensor:
        t = k.shape[2]  #! t = k.shape[1]
        self.keys[:, :, self.filled : self.filled + t] = k  # E: shape
        self.filled += t
        return self.keys[:, :, : self.filled]


def main() -> Tensor:
    cache = Cache(2, 3, 10, 4)
    cache.update(torch.randn(2, 3, 2, 4))
    return cache.update(torch.randn(2, 3, 1, 4))


# run: main()
