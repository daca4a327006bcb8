from jaxtyping import Bool, Float, Shaped
from torch import Tensor

Grid = Float[Tensor, "h w"]
Batch = Shaped[Grid, "b"]  #! Batch = Bool[Grid, "b"]  # E: axes


def first(grids: Batch) -> Grid:
    return grids[0]


# run: first(randn(2, 3, 5))
