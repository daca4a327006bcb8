import torch
from jaxtyping import Float
from torch import Tensor


def nucleus(logits: Float[Tensor, "b vocab"], p: float) -> Float[Tensor, "b vocab"]:
    ordered, index = logits.sort(dim=-1, descending=True)
    keep = ordered.softmax(-1).cumsum(-1) <= p
    ordered = ordered.masked_fill(~keep, float("-inf"))
    return torch.empty_like(logits).scatter(-1, index, ordered)  #! return torch.empty_like(logits).scatter(-1, ordered, index)  # E: dtype


# run: nucleus(randn(3, 5), 0.9)
