import torch
from jaxtyping import Float, Int
from torch import Tensor


def route(logits: Float[Tensor, "tokens experts"]) -> tuple[Float[Tensor, "tokens 2"], Int[Tensor, "tokens 2"]]:
    gates, index = logits.topk(2, dim=-1)  #! gates, index = logits.topk(2, dim=0)
    return gates.softmax(-1), index  # E: shape


# run: route(randn(3, 5))
