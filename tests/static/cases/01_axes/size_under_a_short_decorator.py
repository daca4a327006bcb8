import torch
from beartype import beartype
from jaxtyping import Float, jaxtyped
from torch import Tensor

typed = jaxtyped(typechecker=beartype)


@typed
def logits(q: Float[Tensor, "batch dim"], queue: Float[Tensor, "size dim"]) -> Float[Tensor, "batch 1+size"]:  #! def logits(q: Float[Tensor, "batch dim"], queue: Float[Tensor, "size dim"]) -> Float[Tensor, "batch 1+negatives"]:  # E: axes
    return torch.cat([q.sum(1, keepdim=True), q @ queue.T], dim=1)


# run: logits(randn(3, 4), randn(5, 4))
