from jaxtyping import Float
from torch import Tensor


def mass(logits: Float[Tensor, "b v"], k: int) -> Float[Tensor, "b"]:
    best, _ = logits.softmax(-1).topk(k, dim=-1)
    return best.sum(dim=-1)  #! return best.sum(dim=0)  # E: shape


# run: mass(randn(2, 7), 3)
