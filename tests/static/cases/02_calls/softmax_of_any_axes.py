import torch
from jaxtyping import Float, Int
from torch import Tensor


def softmax(x: Float[Tensor, "..."], dim: int) -> Float[Tensor, "..."]:
    e = (x - x.amax(dim=dim, keepdim=True)).exp()
    return e / e.sum(dim=dim, keepdim=True)


def sample(logits: Float[Tensor, "batch vocab"], top_p: float) -> Int[Tensor, "batch 1"]:
    probs, order = softmax(logits, dim=-1).sort(dim=-1, descending=True)
    probs = probs.masked_fill(probs.cumsum(dim=-1) - probs > top_p, 0.0)
    pick = torch.multinomial(probs, 1)
    return order.gather(-1, pick)  #! return order[pick]  # E: shape


# run: sample(randn(2, 9), 0.9)
