import torch
from jaxtyping import Float
from torch import Tensor


def recall_at_1(sim: Float[Tensor, "n n"]) -> Float[Tensor, ""]:
    best = sim.argmax(dim=1)  #! best = sim.max(dim=1)
    hits = best == torch.arange(sim.shape[0])  # E: shape
    return hits.float().mean()


# run: recall_at_1(randn(3, 3))
