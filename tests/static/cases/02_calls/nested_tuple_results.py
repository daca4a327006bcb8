import torch
from jaxtyping import Float
from torch import Tensor


def lstm_step(
    x: Float[Tensor, "b d"], state: tuple[Float[Tensor, "b h"], Float[Tensor, "b h"]], w: Float[Tensor, "d+h 4*h"]
) -> tuple[Float[Tensor, "b h"], tuple[Float[Tensor, "b h"], Float[Tensor, "b h"]]]:
    h, c = state
    i, f, g, o = (torch.cat([x, h], dim=1) @ w).chunk(4, dim=1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    return h, (h, c)  #! return (h, c), h  # E: shape|dtype


# run: lstm_step(randn(2, 3), (randn(2, 5), randn(2, 5)), randn(8, 20))
