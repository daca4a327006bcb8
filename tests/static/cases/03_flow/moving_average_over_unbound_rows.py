import torch
from jaxtyping import Float
from torch import Tensor
def ema(xs: Float[Tensor, "t d"], beta: float) -> Float[Tensor, "t d"]:
    out = []
    m = torch.zeros_like(xs[0])
    for x in xs.unbind(0):
        m = beta * m + (1 - beta) * x
        out.append(m)
    return torch.stack(out)  #! return torch.cat(out)  # E: shape


# run: ema(randn(4,3), 0.9)
