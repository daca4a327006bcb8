from jaxtyping import Float
from torch import Tensor


def windows(x: Float[Tensor, "b h w c"], size: int) -> Float[Tensor, "n {size}*{size} c"]:
    b, h, w, c = x.shape
    grid = x.view(b, h // size, size, w // size, size, c).permute(0, 1, 3, 2, 4, 5)
    return grid.reshape(-1, size * size, c)  #! return grid.view(-1, size * size, c)  # E: contiguity


# run: windows(randn(2, 4, 6, 3), 2)
