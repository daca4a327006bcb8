import torch
from jaxtyping import Float
from torch import Tensor


def tile_queries(q: Float[Tensor, "n d"], batch: int) -> Float[Tensor, "{batch} n d"]:
    return q.unsqueeze(0).expand(batch, -1, -1)  #! return q.unsqueeze(1).expand(batch, -1, -1)  # E: shape


# run: tile_queries(randn(3, 5), 7)
