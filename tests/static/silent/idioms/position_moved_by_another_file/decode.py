"""Who counts on what a class begins at 0 may be in another file than the class, and than the caller."""

import torch
from cache import Cache
from jaxtyping import Float
from torch import Tensor


def newest(cache: Cache, x: Float[Tensor, "batch 1 width"]) -> Float[Tensor, "batch 1 width"]:
    older, new = cache.put(x).split([4, 1], dim=1)
    return new + older.sum(1, keepdim=True)


def fill(cache: Cache, x: Float[Tensor, "batch steps width"]) -> None:
    cache.put(x)
    cache.position += x.size(1)


def decode() -> Tensor:
    cache = Cache(2, 8, 3)
    fill(cache, torch.ones(2, 4, 3))
    return newest(cache, torch.ones(2, 1, 3))


# run: new = decode()
# run: assert new.shape == (2, 1, 3)
