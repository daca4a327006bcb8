import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


def swiglu(
    x: Float[Tensor, "batch d"], w_out: Float[Tensor, "d hidden"], w_in: Float[Tensor, "2*hidden d"]
) -> Float[Tensor, "batch d"]:
    gate, up = F.linear(x, w_in).chunk(2, dim=-1)  #! gate, up = F.linear(x, w_in).chunk(2, dim=0)
    return F.linear(F.silu(gate) * up, w_out)  # E: shape


# run: swiglu(randn(4, 3), randn(3, 5), randn(10, 3))
