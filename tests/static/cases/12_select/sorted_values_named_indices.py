import torch
from jaxtyping import Float
from torch import Tensor


def nucleus(logits: Float[Tensor, "b vocab"], p: float) -> Float[Tensor, "b vocab"]:
    ordered, order = logits.sort(dim=-1, descending=True)  #! order, ordered = logits.sort(dim=-1, descending=True)
    mass = ordered.softmax(dim=-1).cumsum(dim=-1)  # E: dtype
    return torch.zeros_like(logits).scatter(-1, order, ordered.masked_fill(mass > p, float("-inf")))  # e: dtype


# run: nucleus(randn(2, 7), 0.9)
