from jaxtyping import Bool, Float
from torch import Tensor


def centred(x: Float[Tensor, "batch seq d"], mask: Bool[Tensor, "batch seq"]) -> Float[Tensor, "kept d"]:
    rows = x[mask]
    return rows - rows.mean(dim=0)  #! return rows - rows.mean(dim=1)  # E: shape


# run: centred(randn(2, 3, 4), torch.ones(2, 3).bool())
